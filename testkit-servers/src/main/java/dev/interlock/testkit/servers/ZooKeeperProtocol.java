package dev.interlock.testkit.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** The part of ZooKeeper's protocol that a fixture needs. */
final class ZooKeeperProtocol {
    private static final int PATIENCE_MILLIS = 5_000;
    private static final int CLOSE_SESSION = -11;

    private ZooKeeperProtocol() {}

    /** Sends a four-letter word and returns the answer. */
    static String ask(int port, String word) throws IOException {
        try (Socket socket = connect("127.0.0.1", port)) {
            socket.getOutputStream().write(word.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    /** Attaches to a session with its password and closes it. */
    static void closeSession(String host, int port, long sessionId, byte[] password) throws IOException {
        try (Socket socket = connect(host, port)) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            send(out, connectRequest(sessionId, password));
            DataInputStream answer = message(in);
            answer.readInt(); // protocol version
            if (answer.readInt() <= 0) {
                throw new IOException("ZooKeeper does not know this session, or the password is wrong.");
            }
            ByteArrayOutputStream close = new ByteArrayOutputStream();
            DataOutputStream request = new DataOutputStream(close);
            request.writeInt(1); // number of the request
            request.writeInt(CLOSE_SESSION);
            send(out, close.toByteArray());
            message(in);
        }
    }

    private static byte[] connectRequest(long sessionId, byte[] password) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream request = new DataOutputStream(bytes);
        request.writeInt(0); // protocol version
        request.writeLong(0); // last transaction seen: none, so that any server accepts it
        request.writeInt(PATIENCE_MILLIS);
        request.writeLong(sessionId);
        request.writeInt(password.length);
        request.write(password);
        request.writeBoolean(false); // a read-only server is not accepted
        return bytes.toByteArray();
    }

    private static void send(DataOutputStream out, byte[] message) throws IOException {
        out.writeInt(message.length);
        out.write(message);
        out.flush();
    }

    private static DataInputStream message(DataInputStream in) throws IOException {
        return new DataInputStream(new ByteArrayInputStream(in.readNBytes(in.readInt())));
    }

    private static Socket connect(String host, int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }
}
