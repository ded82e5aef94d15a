package dev.interlock.testkit.workers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One end of a connection: whole frames in both directions.
 *
 * <p>{@link #send} never blocks: a thread of its own writes, so a peer that does not read delays only itself. Frames
 * are sent in the order of the calls. Thread-safe; {@link #receive} is for one thread.
 */
final class Line implements AutoCloseable {
    /** Longer than any batch of the SPI. */
    private static final int MAX_FRAME = 16 << 20;

    /** What a peer may leave unread before the line is cut. */
    private static final int MAX_UNSENT = 100_000;

    private static final byte[] END = new byte[0];

    private final Socket socket;
    private final DataInputStream in;
    private final BlockingQueue<byte[]> unsent = new LinkedBlockingQueue<>(MAX_UNSENT);

    Line(Socket socket, String name) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        Thread writer = new Thread(this::write, name + "-writer");
        writer.setDaemon(true);
        writer.start();
    }

    /** Writes a frame. */
    interface Frame {
        void writeTo(DataOutputStream out) throws IOException;
    }

    static byte[] frame(Frame frame) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            frame.writeTo(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new IllegalStateException("Could not encode a message", e);
        }
        return bytes.toByteArray();
    }

    /** Queues a frame; returns false if the line is cut. */
    boolean send(byte[] frame) {
        if (socket.isClosed()) {
            return false;
        }
        if (!unsent.offer(frame)) {
            close();
            return false;
        }
        return true;
    }

    private void write() {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
            for (byte[] frame = unsent.take(); frame != END; frame = unsent.take()) {
                out.writeInt(frame.length);
                out.write(frame);
                if (unsent.isEmpty()) {
                    out.flush();
                }
            }
        } catch (IOException | InterruptedException e) {
            close();
        }
    }

    /** Waits for the next frame. */
    DataInputStream receive() throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_FRAME) {
            throw new IOException("A frame of " + length + " bytes is not a valid message");
        }
        byte[] frame = in.readNBytes(length);
        if (frame.length < length) {
            throw new EOFException("The line was cut inside a frame");
        }
        return new DataInputStream(new ByteArrayInputStream(frame));
    }

    /** Cuts the line; a receiver that waits fails. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // A line that cannot be closed is unusable anyway.
        }
        // Replaced, not appended: a full queue must not keep the writer from ending.
        unsent.clear();
        unsent.offer(END);
    }
}
