package dev.interlock.jdbc.internal;

import dev.interlock.lock.LockKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The number by which PostgreSQL knows a lock: the first eight bytes, as a signed big-endian number, of the SHA-256 of the namespace, a
 * zero byte and the lock's name, both in UTF-8.
 *
 * <p>Published, so that anybody can compute it, and never changed: processes that disagree about it would not exclude each other. Neither a
 * namespace nor a name contains a zero byte, so different pairs are different texts.
 */
public final class AdvisoryHash {
    private AdvisoryHash() {}

    public static long of(String namespace, LockKey key) {
        return ByteBuffer.wrap(sha256(namespace, key.name())).getLong();
    }

    /** The SHA-256 of texts with a zero byte between each two of them. */
    public static byte[] sha256(String... texts) {
        return digest().digest(String.join("\0", texts).getBytes(StandardCharsets.UTF_8));
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform must have SHA-256", e);
        }
    }
}
