package dev.interlock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Imitates a server of a version that is no longer available: it answers {@code INFO}, and rejects {@code HELLO} as all
 * versions before 6.0 do.
 *
 * <p>Every connection has its own thread, which ends with the connection.
 */
final class OldRedis implements AutoCloseable {
    private final ServerSocket socket;
    private final String version;

    OldRedis(String version) throws IOException {
        this.version = version;
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        inBackground(this::accept);
    }

    String address() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    private static void inBackground(Runnable work) {
        Thread thread = new Thread(work, "old-redis");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                inBackground(() -> serve(client));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket client) {
        try (client;
                InputStream in = new BufferedInputStream(client.getInputStream());
                OutputStream out = client.getOutputStream()) {
            while (true) {
                out.write(answer(command(in)).getBytes(UTF_8));
                out.flush();
            }
        } catch (IOException gone) {
            // The client has disconnected.
        }
    }

    private String answer(List<String> words) {
        return switch (words.get(0).toUpperCase(Locale.ROOT)) {
            case "HELLO" -> "-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n";
            case "INFO" ->
                bulk("# Server\r\nredis_version:" + version + "\r\nredis_mode:standalone\r\nrun_id:old\r\n"
                        + "uptime_in_seconds:1000\r\n# Replication\r\nrole:master\r\nmaster_replid:old\r\n");
            case "PING" -> "+PONG\r\n";
            case "SCRIPT" -> bulk("0".repeat(40));
            default -> "+OK\r\n";
        };
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    /** An array of bulk strings, as clients send them. */
    private static List<String> command(InputStream in) throws IOException {
        int count = Integer.parseInt(line(in).substring(1));
        List<String> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = Integer.parseInt(line(in).substring(1));
            words.add(new String(in.readNBytes(length), UTF_8));
            in.skipNBytes(2);
        }
        return words;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the connection was closed");
            }
            line.append((char) next);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
