package dev.interlock.testkit.faults;

import java.util.ArrayList;
import java.util.List;

/**
 * A request as a client sent it, with the requests that prepared its connection, so that it can be sent again.
 *
 * <p>It grows while the messages of the request arrive. Used only by the proxy's thread.
 */
final class SentRequest {
    private static final int LONGEST = 16 << 20;

    private final List<byte[]> opening;
    private final List<byte[]> messages = new ArrayList<>(1);
    private long length;

    SentRequest(List<byte[]> opening) {
        this.opening = opening;
    }

    /** Adds a message. The rest of a very large request, such as a bulk load, is not kept. */
    void add(byte[] message) {
        length += message.length;
        if (length <= LONGEST) {
            messages.add(message);
        }
    }

    List<byte[]> opening() {
        return opening;
    }

    List<byte[]> messages() {
        if (length > LONGEST) {
            throw new IllegalStateException(
                    "A request of " + length + " bytes cannot be replayed: at most " + LONGEST + " are kept");
        }
        return messages;
    }
}
