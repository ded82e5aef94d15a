package dev.interlock.lock;

import java.util.Objects;

/**
 * Who asks: one incarnation of a process, and one attempt within it.
 *
 * <p>The value is what a store keeps and compares, so knowing it means being able to release the lock:
 * {@link #toString()} shows a short digest only. An incarnation has at least 128 random bits.
 */
public record OwnerId(String incarnation, long attempt) {
    /** Refuses an incarnation that could be guessed or confused. */
    public OwnerId {
        Objects.requireNonNull(incarnation, "incarnation");
        if (incarnation.isEmpty() || incarnation.length() > 64 || incarnation.indexOf('/') >= 0) {
            throw new IllegalArgumentException("An incarnation has 1 to 64 characters and no slash");
        }
    }

    /** The text that a store keeps; secret, since it is all that a release needs. */
    public String value() {
        return incarnation + '/' + attempt;
    }

    /** Reads what {@link #value()} wrote. */
    public static OwnerId parse(String value) {
        int slash = value.lastIndexOf('/');
        if (slash < 1) {
            throw new IllegalArgumentException("Not an owner value: it has no attempt number");
        }
        try {
            return new OwnerId(value.substring(0, slash), Long.parseLong(value.substring(slash + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Not an owner value: its attempt is no number", e);
        }
    }

    /** A short digest that tells owners apart in logs without being enough to release their locks. */
    @Override
    public String toString() {
        return String.format("%08x/%d", incarnation.hashCode() * 0x9E3779B1, attempt);
    }
}
