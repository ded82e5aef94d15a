package dev.interlock.testkit.faults;

import java.util.ArrayList;
import java.util.List;

/**
 * A request as a client sent it, with what prepared its connection, so that it can be sent again elsewhere.
 *
 * <p>It grows while the messages of the request come in. Only the proxy's thread uses it.
 */
final class SentRequest {
    private static final int LONGEST = 16 << 20;

    private final List<byte[]> opening;
    private final List<byte[]> messages = new ArrayList<>(1);
    private long length;

    SentRequest(List<byte[]> opening) {
        this.opening = opening;
    }

    /** Keeps a message. Of a request beyond all measure, such as a bulk load, the rest is not kept. */
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
