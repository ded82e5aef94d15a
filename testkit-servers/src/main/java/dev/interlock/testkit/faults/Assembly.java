package dev.interlock.testkit.faults;

import java.util.Arrays;
import java.util.function.Consumer;

/** Joins the reads of one flow and splits them into messages. No byte is lost, changed or moved. */
final class Assembly {
    private static final byte[] NOTHING = {};

    private final Framing.Splitter splitter;
    private byte[] bytes = NOTHING;
    private int from;
    private int to;

    Assembly(Framing.Splitter splitter) {
        this.splitter = splitter;
    }

    /** Adds what was read, and passes on each message that is complete. The assembly keeps the array. */
    void add(byte[] read, Consumer<byte[]> receiver) {
        append(read);
        while (from < to) {
            int length = checked(splitter.length(bytes, from, to));
            if (length == 0) {
                return;
            }
            receiver.accept(take(length));
        }
    }

    /** The beginning of a message that will never be complete. */
    byte[] rest() {
        return take(to - from);
    }

    private void append(byte[] read) {
        if (from == to) {
            bytes = read;
            from = 0;
            to = read.length;
            return;
        }
        if (to + read.length > bytes.length) {
            makeRoom(read.length);
        }
        System.arraycopy(read, 0, bytes, to, read.length);
        to += read.length;
    }

    /** Doubled, so that a message of many reads is not copied for each of them. */
    private void makeRoom(int more) {
        byte[] larger = new byte[Math.max(2 * (to - from), to - from + more)];
        System.arraycopy(bytes, from, larger, 0, to - from);
        bytes = larger;
        to -= from;
        from = 0;
    }

    private byte[] take(int length) {
        boolean whole = from == 0 && length == bytes.length;
        byte[] message = whole ? bytes : Arrays.copyOfRange(bytes, from, from + length);
        from += length;
        if (from == to) {
            bytes = NOTHING;
            from = 0;
            to = 0;
        }
        return message;
    }

    private int checked(int length) {
        if (length < 0 || length > to - from) {
            throw new IllegalStateException(splitter + " found a message of " + length + " bytes in " + (to - from));
        }
        return length;
    }
}
