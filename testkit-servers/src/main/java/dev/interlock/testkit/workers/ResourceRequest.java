package dev.interlock.testkit.workers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One request to the resource as bytes: length, kind, attempt, owner, token, base, value, key.
 *
 * @param base for writes: the value that the new one was made from
 */
record ResourceRequest(Kind kind, String key, Bearer bearer, long base, long value) {
    /** The largest request: the longest key takes 512 bytes. */
    static final int MAX_BYTES = 1024;

    static final int ANSWER_BYTES = 1 + 2 * Long.BYTES;

    private static final int FIXED_BYTES = 1 + 5 * Long.BYTES;

    /** What is asked. */
    enum Kind {
        RAISE(1),
        READ(2),
        WRITE(3),
        /** A read that no holder makes and no log shows: for the end of a run. */
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
        out.putLong(bearer.attempt()).putLong(bearer.owner()).putLong(bearer.token());
        out.putLong(base).putLong(value).put(name);
    }

    /** The next whole request, or null if it has not arrived yet; a request that was cut short is never carried out. */
    static @Nullable ResourceRequest readFrom(ByteBuffer in) {
        if (in.remaining() < Short.BYTES || in.remaining() - Short.BYTES < in.getShort(in.position())) {
            return null;
        }
        int length = in.getShort();
        if (length < FIXED_BYTES || length > MAX_BYTES - Short.BYTES) {
            throw new IllegalArgumentException("a request of " + length + " bytes");
        }
        Kind kind = Kind.of(in.get());
        Bearer bearer = new Bearer(in.getLong(), in.getLong(), in.getLong());
        long base = in.getLong();
        long value = in.getLong();
        byte[] name = new byte[length - FIXED_BYTES];
        in.get(name);
        return new ResourceRequest(kind, new String(name, UTF_8), bearer, base, value);
    }
}
