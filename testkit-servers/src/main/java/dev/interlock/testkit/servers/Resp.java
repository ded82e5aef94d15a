package dev.interlock.testkit.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends one command to a Redis server, on a connection of its own, and returns the answer as text. The fixtures use no
 * client library, so they cannot share a bug with the client under test.
 */
final class Resp {
    private static final int PATIENCE_MILLIS = 5_000;

    private Resp() {}

    /**
     * Sends a command and returns its answer: text, a number as text, or the elements of an array joined by line feeds.
     *
     * @throws IOException if the server cannot be reached or answers with an error
     */
    static String send(ServerNode node, String... words) throws IOException {
        return send(node.host(), node.port(), words);
    }

    static String send(String host, int port, String... words) throws IOException {
        return send(host, port, List.of(), words);
    }

    /** Logs in first, if a login is given. */
    static String send(String host, int port, List<String> login, String... words) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            InputStream answers = new BufferedInputStream(socket.getInputStream());
            if (!login.isEmpty()) {
                socket.getOutputStream().write(encode(login.toArray(String[]::new)));
                answer(answers);
            }
            socket.getOutputStream().write(encode(words));
            return answer(answers);
        }
    }

    private static byte[] encode(String... words) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(("*" + words.length + "\r\n").getBytes(UTF_8));
        for (String word : words) {
            byte[] content = word.getBytes(UTF_8);
            bytes.writeBytes(("$" + content.length + "\r\n").getBytes(UTF_8));
            bytes.writeBytes(content);
            bytes.writeBytes(new byte[] {'\r', '\n'});
        }
        return bytes.toByteArray();
    }

    private static String answer(InputStream in) throws IOException {
        String line = line(in);
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+', ':' -> rest;
            case '-' -> throw new IOException("Redis answered: " + rest);
            case '$' -> bulk(in, Integer.parseInt(rest));
            case '*' -> array(in, Integer.parseInt(rest));
            default -> throw new IOException("Not a Redis answer: " + line);
        };
    }

    private static String bulk(InputStream in, int length) throws IOException {
        if (length < 0) {
            return "";
        }
        byte[] content = in.readNBytes(length);
        line(in);
        return new String(content, UTF_8);
    }

    private static String array(InputStream in, int length) throws IOException {
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            elements.add(answer(in));
        }
        return String.join("\n", elements);
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("Redis closed the connection");
            }
            if (b != '\r') {
                bytes.write(b);
            }
        }
        return bytes.toString(UTF_8);
    }
}
