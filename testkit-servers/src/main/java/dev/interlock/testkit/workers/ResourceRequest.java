package dev.interlock.testkit.workers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One request to the resource in bytes: length, kind, attempt, owner, token, base, value, key.
 *
 * @param base for writes: the value from which the new one was derived
 */
record ResourceRequest(Kind kind, String key, WriterIdentity identity, long base, long value) {
    /** The largest request: the longest key takes 512 bytes. */
    static final int MAX_BYTES = 1024;

    static final int ANSWER_BYTES = 1 + 2 * Long.BYTES;

    private static final int FIXED_BYTES = 1 + 5 * Long.BYTES;

    /** The operation. */
    enum Kind {
        RAISE(1),
        READ(2),
        WRITE(3),
        /** A read at the end of a run, by no holder, that is not logged. */
        LOOK(4),
        /** The resource's monotonic clock. */
        CLOCK(5);

        private static final Kind[] ALL = values();

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        static Kind of(int code) {
            for (Kind kind : ALL) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("a request of kind " + code);
        }
    }

    void writeTo(ByteBuffer out) {
        byte[] name = key.getBytes(UTF_8);
        out.putShort((short) (FIXED_BYTES + name.length)).put((byte) kind.code);
        out.putLong(identity.attempt()).putLong(identity.owner()).putLong(identity.token());
        out.putLong(base).putLong(value).put(name);
    }

    /**
     * Returns the next complete request, or null if it has not arrived yet. An incomplete request is never processed.
     */
    static @Nullable ResourceRequest readFrom(ByteBuffer in) {
        if (in.remaining() < Short.BYTES || in.remaining() - Short.BYTES < in.getShort(in.position())) {
            return null;
        }
        int length = in.getShort();
        if (length < FIXED_BYTES || length > MAX_BYTES - Short.BYTES) {
            throw new IllegalArgumentException("a request of " + length + " bytes");
        }
        Kind kind = Kind.of(in.get());
        WriterIdentity identity = new WriterIdentity(in.getLong(), in.getLong(), in.getLong());
        long base = in.getLong();
        long value = in.getLong();
        byte[] name = new byte[length - FIXED_BYTES];
        in.get(name);
        return new ResourceRequest(kind, new String(name, UTF_8), identity, base, value);
    }
}
