package dev.interlock.lock;

import java.util.Objects;

/**
 * Identifies the owner of a grant: one incarnation of a process, and one attempt within it.
 *
 * <p>The store compares the {@linkplain #value() value} on renewal and release. Keep it secret: it is all that is
 * needed to release the lock. {@link #toString()} therefore shows only a short digest.
 *
 * @param incarnation identifies one start of a process; Interlock uses at least 128 random bits
 * @param attempt the number of the attempt within the process
 * @since 0.1.0
 */
public record OwnerId(String incarnation, long attempt) {
    /** Rejects an incarnation that is empty, longer than 64 characters, or contains a slash. */
    public OwnerId {
        Objects.requireNonNull(incarnation, "incarnation");
        if (incarnation.isEmpty() || incarnation.length() > 64 || incarnation.indexOf('/') >= 0) {
            throw new IllegalArgumentException("An incarnation has 1 to 64 characters and no slash");
        }
    }

    /** Returns the text that the store keeps. It is secret. */
    public String value() {
        return incarnation + '/' + attempt;
    }

    /**
     * Parses the text that {@link #value()} returns.
     *
     * @throws IllegalArgumentException if the text is not such a value
     */
    public static OwnerId parse(String value) {
        int slash = value.lastIndexOf('/');
        if (slash < 1) {
            throw new IllegalArgumentException("Not an owner value: it has no attempt number");
        }
        try {
            return new OwnerId(value.substring(0, slash), Long.parseLong(value.substring(slash + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Not an owner value: its attempt is not a number", e);
        }
    }

    /** Returns a short digest that distinguishes owners in logs but cannot be used to release their locks. */
    @Override
    public String toString() {
        return String.format("%08x/%d", incarnation.hashCode() * 0x9E3779B1, attempt);
    }
}
