package dev.interlock.testkit.history;

/**
 * Where events are kept: slots of eight words, the first of which is the header and is never zero once the event is whole.
 *
 * <p>Implementations let many threads append at once.
 */
interface Slots {
    /** Words of a slot: header, time, attempt, owner, token, and three whose meaning depends on the operation. */
    int WORDS = 8;

    /** Claims the next slot and fills it, header last. Fails with a sentence that names the capacity when there is none. */
    void append(long header, long nanos, long attempt, long owner, long token, long a, long b, long c);

    /** How many slots were claimed; some of them may be unfinished for ever. */
    int claimed();

    long word(int slot, int word);
}
