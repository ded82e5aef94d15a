package dev.interlock.spi;

import dev.interlock.lock.LossReason;
import java.time.Duration;

/** What became of one renewal. */
public sealed interface RenewalAnswer {
    /** The grant now lasts this long, counted from the answer. */
    record Extended(Duration lease) implements RenewalAnswer {}

    /** The store has no such grant any more, and why, as far as it knows. */
    record Gone(LossReason reason) implements RenewalAnswer {}

    /**
     * It was not extended, and may be there or not: the store could not look at it now, while it could at the others. The engine asks again
     * until the deadline.
     *
     * @param why for the log, when the lease is lost by it
     */
    record NotNow(String why) implements RenewalAnswer {}
}
