package dev.interlock.spi;

import java.time.Duration;

/**
 * The answer to the heartbeat of one waiter.
 *
 * @since 0.1.0
 */
public sealed interface WaitAnswer {
    /**
     * The waiter still has its queue place, and the store recorded the heartbeat.
     *
     * @param recheckIn the time until the first lease of a current holder can end
     */
    record Waiting(Duration recheckIn) implements WaitAnswer {}

    /**
     * The store recorded no heartbeat, because another client has locked the record. The engine sends the next one
     * later. If the waiter is granted the key before that, the lease counts from the last heartbeat that was recorded.
     *
     * @param recheckIn the time until the first lease of a current holder can end
     */
    record NotNow(Duration recheckIn) implements WaitAnswer {}

    /**
     * The waiter was granted the key. The push may have been lost.
     *
     * @param granted the grant
     */
    record Won(Granted granted) implements WaitAnswer {}

    /** The waiter has no queue place. The engine attempts again. */
    record Forgotten() implements WaitAnswer {}
}
