package dev.interlock.testkit.faults;

/**
 * Finds the end of a RESP value. It knows all types of RESP2 and RESP3, streamed ones included; a line of plain text is
 * an inline command.
 */
final class RespReader {
    static final int INCOMPLETE = -1;
    static final int NOT_RESP = -2;

    private static final String SIMPLE_TYPES = "+-:,#_(";
    private static final long STREAMED = -3;
    private static final long NO_NUMBER = -4;

    private final byte[] bytes;
    private final int to;

    RespReader(byte[] bytes, int to) {
        this.bytes = bytes;
        this.to = to;
    }

    /** The index after the value that starts here, or {@link #INCOMPLETE}, or {@link #NOT_RESP}. */
    int value(int at) {
        if (at >= to) {
            return INCOMPLETE;
        }
        int body = nextLine(at);
        return switch (bytes[at]) {
            case '$', '=', '!' -> body < 0 ? body : bulk(number(at, body), body);
            case '*', '~', '>' -> body < 0 ? body : items(number(at, body), 1, body);
            case '%' -> body < 0 ? body : items(number(at, body), 2, body);
            case '|' -> body < 0 ? body : attributed(items(number(at, body), 2, body));
            default -> isLine(bytes[at]) ? body : NOT_RESP;
        };
    }

    /** Attributes precede the value that they describe, and belong to it. */
    private int attributed(int at) {
        return at < 0 ? at : value(at);
    }

    private int bulk(long length, int body) {
        if (length == NO_NUMBER) {
            return NOT_RESP;
        }
        if (length == STREAMED) {
            return chunks(body);
        }
        long end = length < 0 ? body : body + length + 2;
        return end > to ? INCOMPLETE : (int) end;
    }

    /** A streamed string: chunks that start with a semicolon, the last one empty. */
    private int chunks(int at) {
        while (at >= 0 && at < to && bytes[at] == ';') {
            int body = nextLine(at);
            long length = body < 0 ? NO_NUMBER : number(at, body);
            if (body < 0 || length == 0) {
                return body;
            }
            at = bulk(length, body);
        }
        return at < 0 ? at : at >= to ? INCOMPLETE : NOT_RESP;
    }

    private int items(long count, int each, int body) {
        if (count == NO_NUMBER) {
            return NOT_RESP;
        }
        if (count == STREAMED) {
            return untilDot(body);
        }
        int at = body;
        for (long left = count * each; left > 0 && at >= 0; left--) {
            at = value(at);
        }
        return at;
    }

    private int untilDot(int at) {
        while (at >= 0 && at < to && bytes[at] != '.') {
            at = value(at);
        }
        return at < 0 ? at : nextLine(at);
    }

    private int nextLine(int at) {
        for (int i = at + 1; i < to; i++) {
            if (bytes[i] == '\n') {
                return i + 1;
            }
        }
        return INCOMPLETE;
    }

    private long number(int at, int body) {
        int end = body - 2;
        if (end == at + 2 && bytes[at + 1] == '?') {
            return STREAMED;
        }
        boolean negative = end > at + 1 && bytes[at + 1] == '-';
        long number = 0;
        int digits = 0;
        for (int i = at + (negative ? 2 : 1); i < end; i++, digits++) {
            if (bytes[i] < '0' || bytes[i] > '9' || digits > 9) {
                return NO_NUMBER;
            }
            number = number * 10 + bytes[i] - '0';
        }
        // The only negative length is the -1 of a null.
        return digits == 0 ? NO_NUMBER : negative ? -1 : number;
    }

    private static boolean isLine(byte first) {
        return SIMPLE_TYPES.indexOf(first) >= 0
                || (first >= 'a' && first <= 'z')
                || (first >= 'A' && first <= 'Z')
                || first == '\r'
                || first == '\n';
    }
}
