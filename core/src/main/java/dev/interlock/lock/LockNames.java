package dev.interlock.lock;

/** The rules for the names of keys, lock types and processes. */
final class LockNames {
    private LockNames() {}

    /** Rejects a name that some store could not distinguish from another one. */
    static void check(String what, String name, int maxBytes) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException(what + " is empty: give it at least one character");
        }
        int bytes = 0;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isISOControl(c)) {
                throw new IllegalArgumentException(what + " has the control character U+" + hex(c) + " at position " + i
                        + ": remove or encode it");
            }
            if (Character.isHighSurrogate(c) && i + 1 < name.length() && Character.isLowSurrogate(name.charAt(i + 1))) {
                i++;
                bytes += 4;
            } else if (Character.isSurrogate(c)) {
                throw new IllegalArgumentException(what + " has a lone surrogate U+" + hex(c) + " at position " + i
                        + ": it is not valid Unicode, and two such names would become one; fix the string's encoding");
            } else {
                bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
            }
        }
        if (bytes > maxBytes) {
            throw new IllegalArgumentException(what + " has " + bytes + " bytes in UTF-8, at most " + maxBytes
                    + " are allowed: shorten it, for example by a digest of the long part");
        }
    }

    /** Compares by UTF-8 bytes, that is, by code point. String.compareTo would order surrogates too early. */
    static int compare(String left, String right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                boolean aboveBmp = Character.isSurrogate(a);
                if (aboveBmp != Character.isSurrogate(b)) {
                    return aboveBmp ? 1 : -1;
                }
                return a < b ? -1 : 1;
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /** Returns the text as a quoted string of the DOT language. */
    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    private static String hex(char c) {
        return String.format("%04X", (int) c);
    }
}
