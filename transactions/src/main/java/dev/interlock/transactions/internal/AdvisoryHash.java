package dev.interlock.transactions.internal;

import dev.interlock.lock.LockKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The 64-bit number of an advisory lock in PostgreSQL: the first eight bytes, as a signed big-endian number, of the
 * SHA-256 of namespace, zero byte and lock name in UTF-8.
 *
 * <p>The formula is documented for clients in other languages and never changes: processes that compute different
 * numbers do not exclude each other. Neither a namespace nor a name contains a zero byte, so different pairs give
 * different input.
 */
public final class AdvisoryHash {
    private AdvisoryHash() {}

    public static long of(String namespace, LockKey key) {
        return ByteBuffer.wrap(sha256(namespace, key.name())).getLong();
    }

    /** Returns the SHA-256 of the texts, joined by zero bytes. */
    public static byte[] sha256(String... texts) {
        return digest().digest(String.join("\0", texts).getBytes(StandardCharsets.UTF_8));
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java platform has no SHA-256", e);
        }
    }
}
