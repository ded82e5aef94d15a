package dev.interlock.spi;

import java.time.Duration;

/** What became of a waiter that was asked about. */
public sealed interface WaitAnswer {
    /** It still waits, and the store has heard of it; the holder's lease ends at the earliest after the given time. */
    record Waiting(Duration recheckIn) implements WaitAnswer {}

    /**
     * Somebody else has what the store would have to change to hear of it, so it was not heard of; ask again later. What it is granted meanwhile
     * counts from when the store last heard of it.
     */
    record NotNow(Duration recheckIn) implements WaitAnswer {}

    /** It was granted; the push may have been lost. */
    record Won(Granted granted) implements WaitAnswer {}

    /** The store does not know it: it must attempt again. */
    record Forgotten() implements WaitAnswer {}
}
