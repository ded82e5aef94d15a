package dev.interlock.testkit.history;

/**
 * Storage for events: slots of eight words. The first word is the header, which is nonzero once the event is complete.
 *
 * <p>Implementations let many threads append at the same time.
 */
interface EventSlots {
    /** Words of a slot: header, time, attempt, owner, token, and three whose meaning depends on the operation. */
    int WORDS = 8;

    /**
     * Claims the next slot and fills it, header last. If no slot is left, throws an exception that names the capacity.
     */
    void append(long header, long nanos, long attempt, long owner, long token, long a, long b, long c);

    /** Returns how many slots were claimed. Some of them may stay unfinished forever. */
    int claimed();

    long word(int slot, int word);
}
