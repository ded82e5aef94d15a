package dev.interlock.testkit.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** A blocking client that sends RESP commands and reads one line, or one push, at a time. */
final class TinyClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket = new Socket();
    private final InputStream in;

    TinyClient(int port) throws IOException {
        socket.connect(new InetSocketAddress("localhost", port), PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Sends a command whose words are separated by blanks. */
    TinyClient send(String command) throws IOException {
        write(command(command));
        return this;
    }

    void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    static byte[] command(String command) {
        String[] words = command.split(" ", -1);
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return text.toString().getBytes(US_ASCII);
    }

    String ask(String command) throws IOException {
        return send(command).read();
    }

    /** The next reply without its line end; lines of a push are joined by blanks. */
    String read() throws IOException {
        String line = line();
        if (!line.startsWith(">")) {
            return line;
        }
        line();
        return line() + " " + line() + " " + line();
    }

    byte[] read(int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("The connection ended after " + read.length + " of " + bytes + " bytes");
        }
        return read;
    }

    byte[] readToEnd() throws IOException {
        return in.readAllBytes();
    }

    /** Whether nothing arrives for this long, and the connection stays open. */
    boolean receivesNothing(int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            in.read();
            return false;
        } catch (SocketTimeoutException silence) {
            return true;
        } finally {
            socket.setSoTimeout(PATIENCE_MILLIS);
        }
    }

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    int localPort() {
        return socket.getLocalPort();
    }

    /** Ends the connection by RST. */
    void abort() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("The connection ended");
            }
            line.write(b);
        }
        return line.toString(US_ASCII).trim();
    }
}
