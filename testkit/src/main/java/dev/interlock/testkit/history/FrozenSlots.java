package dev.interlock.testkit.history;

/** A fixed view of slots. A reader of a log that is still being written must count the same slots throughout. */
record FrozenSlots(EventSlots slots, int claimed) implements EventSlots {
    @Override
    public void append(long header, long nanos, long attempt, long owner, long token, long a, long b, long c) {
        throw new UnsupportedOperationException("These slots are read-only.");
    }

    @Override
    public long word(int slot, int word) {
        return slots.word(slot, word);
    }
}
