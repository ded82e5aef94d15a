package dev.interlock.lock;

/**
 * A number that grows with every grant of a key.
 *
 * <p>Send the token along with every write that the lock protects. The token protects nothing by itself: the resource
 * must remember the highest token that it has seen and reject lower ones, as {@link FenceGuard} does. Tokens of
 * different keys cannot be compared.
 *
 * <p>A token has 63 bits. The upper 53 are the store's grant number. The lower ten count how often the grant was passed
 * to the next waiter inside one process. In JSON, write the token as a string, since it does not fit into a double.
 *
 * @param value the token as a number
 * @since 0.1.0
 */
public record FencingToken(long value) implements Comparable<FencingToken> {
    /** The greatest grant number that a store may use. */
    public static final long MAX_GRANT = (1L << 53) - 1;

    /** The maximum number of times that one grant can be passed on inside a process. */
    public static final int MAX_PASS = (1 << 10) - 1;

    /** Rejects a negative value. */
    public FencingToken {
        if (value < 0) {
            throw new IllegalArgumentException(
                    "Fencing token " + value + " is negative: tokens start at 0 and only grow");
        }
    }

    /**
     * Returns the token of a grant.
     *
     * @param grant the store's grant number
     * @param pass how often the grant was passed on inside the process
     * @throws IllegalArgumentException if a number is negative or above its maximum
     */
    public static FencingToken of(long grant, int pass) {
        if (grant < 0 || grant > MAX_GRANT) {
            throw new IllegalArgumentException("Grant number " + grant + " is not between 0 and " + MAX_GRANT);
        }
        if (pass < 0 || pass > MAX_PASS) {
            throw new IllegalArgumentException("Pass " + pass + " is not between 0 and " + MAX_PASS);
        }
        return new FencingToken(grant << 10 | pass);
    }

    /**
     * Parses the text that {@link #toString()} returns.
     *
     * @throws IllegalArgumentException if the text is not a token
     */
    public static FencingToken parse(String text) {
        try {
            return new FencingToken(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a fencing token: a token is a decimal number of at most 63 bits", e);
        }
    }

    /** Returns the store's grant number. */
    public long grant() {
        return value >>> 10;
    }

    /** Returns how often the grant had been passed on inside its process. */
    public int pass() {
        return (int) (value & MAX_PASS);
    }

    /** Returns whether this token belongs to a later holder than the other token of the same key. */
    public boolean isNewerThan(FencingToken other) {
        return value > other.value;
    }

    @Override
    public int compareTo(FencingToken other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
