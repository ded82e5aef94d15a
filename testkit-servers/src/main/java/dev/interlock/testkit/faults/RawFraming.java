package dev.interlock.testkit.faults;

/** Each read is one message. */
enum RawFraming implements Framing {
    INSTANCE;

    static final Splitter ALL = (bytes, from, to) -> to - from;

    @Override
    public Splitter splitter(Direction direction) {
        return ALL;
    }

    /** One reply may arrive in several reads, so replies cannot be counted. */
    @Override
    public boolean pairsReplies() {
        return false;
    }
}
