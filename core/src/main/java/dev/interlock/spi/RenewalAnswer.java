package dev.interlock.spi;

import dev.interlock.lock.LossReason;
import java.time.Duration;

/**
 * The outcome of one renewal.
 *
 * @since 0.1.0
 */
public sealed interface RenewalAnswer {
    /**
     * The grant was extended.
     *
     * @param lease how long the grant lasts now, counted from when the store wrote the answer
     */
    record Extended(Duration lease) implements RenewalAnswer {}

    /**
     * The grant no longer exists.
     *
     * @param reason why, as far as the store knows
     */
    record Gone(LossReason reason) implements RenewalAnswer {}

    /**
     * The store could not check this grant now, although it could check others of the same call. The grant was not
     * extended and may or may not exist. The engine repeats the renewal until the deadline.
     *
     * @param why the cause, for the log if the lease is lost because of it
     */
    record NotNow(String why) implements RenewalAnswer {}
}
