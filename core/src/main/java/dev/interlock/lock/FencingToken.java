package dev.interlock.lock;

/**
 * A number that only grows for one key; newer beats older.
 *
 * <p>A token has 63 bits: the store's grant number (below 2^53) and, in the low ten bits, how often that
 * grant was handed on inside one process. Write it as a string in JSON: it does not fit a double.
 *
 * <p>A token protects nothing by itself. The resource must refuse a smaller one, see {@link FenceGuard}.
 */
public record FencingToken(long value) implements Comparable<FencingToken> {
    /** The largest grant number a store may give out. */
    public static final long MAX_GRANT = (1L << 53) - 1;

    /** The largest number of local hand-offs within one grant. */
    public static final int MAX_PASS = (1 << 10) - 1;

    /** Refuses a value that no store can have given out. */
    public FencingToken {
        if (value < 0) {
            throw new IllegalArgumentException(
                    "Fencing token " + value + " is negative: tokens start at 0 and only grow");
        }
    }

    /** The token of a grant and the given number of local hand-offs within it. */
    public static FencingToken of(long grant, int pass) {
        if (grant < 0 || grant > MAX_GRANT) {
            throw new IllegalArgumentException("Grant number " + grant + " is not between 0 and " + MAX_GRANT);
        }
        if (pass < 0 || pass > MAX_PASS) {
            throw new IllegalArgumentException("Pass " + pass + " is not between 0 and " + MAX_PASS);
        }
        return new FencingToken(grant << 10 | pass);
    }

    /** Reads what {@link #toString()} wrote. */
    public static FencingToken parse(String text) {
        try {
            return new FencingToken(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is no fencing token: a token is a decimal number of at most 63 bits", e);
        }
    }

    /** The store's number for this grant. */
    public long grant() {
        return value >>> 10;
    }

    /** How many local hand-offs the grant had seen. */
    public int pass() {
        return (int) (value & MAX_PASS);
    }

    /** Whether this token was given out after the other one for the same key. */
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
