package dev.interlock.errorprone;

/** What is known about a string: all of it, or its beginning. */
record StaticText(String known, boolean whole) {
    static final StaticText UNKNOWN = new StaticText("", false);

    StaticText then(StaticText next) {
        return whole ? new StaticText(known + next.known, next.whole) : this;
    }
}
