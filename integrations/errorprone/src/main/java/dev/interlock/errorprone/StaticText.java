package dev.interlock.errorprone;

/** What the source tells about a string: the whole, or how it begins. */
record StaticText(String known, boolean whole) {
    static final StaticText UNKNOWN = new StaticText("", false);

    StaticText then(StaticText next) {
        return whole ? new StaticText(known + next.known, next.whole) : this;
    }
}
