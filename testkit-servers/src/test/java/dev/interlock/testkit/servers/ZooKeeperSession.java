package dev.interlock.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** A ZooKeeper session on a plain socket. */
final class ZooKeeperSession implements AutoCloseable {
    private static final int LENGTH_MILLIS = 30_000;
    private static final int PASSWORD_BYTES = 16;

    private final Socket socket;
    private final long id;
    private final byte[] password;

    private ZooKeeperSession(Socket socket, long id, byte[] password) {
        this.socket = socket;
        this.id = id;
        this.password = password;
    }

    static ZooKeeperSession open(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(4 + 8 + 4 + 8 + 4 + PASSWORD_BYTES + 1);
        out.writeInt(0); // protocol version
        out.writeLong(0); // last transaction seen
        out.writeInt(LENGTH_MILLIS);
        out.writeLong(0); // no session yet
        out.writeInt(PASSWORD_BYTES);
        out.write(new byte[PASSWORD_BYTES]);
        out.writeBoolean(false);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readInt(); // length
        in.readInt(); // protocol version
        assertThat(in.readInt()).isEqualTo(LENGTH_MILLIS);
        long id = in.readLong();
        byte[] password = in.readNBytes(in.readInt());
        in.readBoolean();
        return new ZooKeeperSession(socket, id, password);
    }

    long id() {
        return id;
    }

    byte[] password() {
        return password.clone();
    }

    /** Whether the server ends the connection of this session. */
    boolean endsWithin(Duration patience) throws IOException {
        socket.setSoTimeout((int) patience.toMillis());
        try {
            return socket.getInputStream().read() == -1;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
