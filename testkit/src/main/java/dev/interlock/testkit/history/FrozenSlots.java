package dev.interlock.testkit.history;

/** Slots as they were at one moment: a reader of a log that is still written must count the same slots throughout. */
record FrozenSlots(Slots slots, int claimed) implements Slots {
    @Override
    public void append(long header, long nanos, long attempt, long owner, long token, long a, long b, long c) {
        throw new UnsupportedOperationException("These slots are only read.");
    }

    @Override
    public long word(int slot, int word) {
        return slots.word(slot, word);
    }
}
