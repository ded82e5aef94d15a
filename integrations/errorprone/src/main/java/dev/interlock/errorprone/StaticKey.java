package dev.interlock.errorprone;

/**
 * What is known about the name of a key: all of it, or its beginning.
 *
 * @param known the name or its beginning
 */
record StaticKey(String known, Extent extent) {
    /** How much of the name is known. */
    enum Extent {
        /** All of it. */
        WHOLE,
        /** The type, and possibly the beginning of the id: {@code LockKey.of("item", id)}. */
        TYPE,
        /** A beginning that may end within the type: {@code LockKey.of("item:" + rest)}. */
        BEGINNING
    }

    boolean isWhole() {
        return extent == Extent.WHOLE;
    }

    /** Whether both may be the same key. */
    boolean mayBe(StaticKey other) {
        if (isWhole() && other.isWhole()) {
            return known.equals(other.known);
        }
        boolean goesOn = !isWhole() && other.known.startsWith(known);
        boolean otherGoesOn = !other.isWhole() && known.startsWith(other.known);
        return goesOn || otherGoesOn;
    }

    /** What is known about a key that is one of two. */
    StaticKey or(StaticKey other) {
        if (equals(other)) {
            return this;
        }
        int same = 0;
        while (same < Math.min(known.length(), other.known.length())
                && known.charAt(same) == other.known.charAt(same)) {
            same++;
        }
        return new StaticKey(known.substring(0, same), Extent.BEGINNING);
    }

    /** For messages: {@code item:7}, or {@code item:…}. */
    @Override
    public String toString() {
        return isWhole() ? known : known + "…";
    }
}
