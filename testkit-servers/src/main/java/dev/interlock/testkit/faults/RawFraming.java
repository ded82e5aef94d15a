package dev.interlock.testkit.faults;

/** What one read returned is one message. */
enum RawFraming implements Framing {
    INSTANCE;

    static final Splitter ALL = (bytes, from, to) -> to - from;

    @Override
    public Splitter splitter(Direction direction) {
        return ALL;
    }

    /** One reply may come in several reads, so counting says nothing. */
    @Override
    public boolean pairsReplies() {
        return false;
    }
}
