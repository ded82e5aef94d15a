package dev.interlock.testkit.workers;

import java.time.Duration;

/**
 * What a worker does under a lock: raise the fence, read, pause, check, write, release.
 *
 * @param ask the lock
 * @param raise whether the token is shown before the read; without that, updates can be lost
 * @param checksLease whether the worker does not write if the check returns "not held"; a careless worker writes anyway
 * @param pause how long the worker pauses between read and check
 * @since 0.1.0
 */
public record CriticalSection(WorkerRequest ask, boolean raise, boolean checksLease, Duration pause) {
    /**
     * Raises, does not pause, and writes whatever the check returns, so that only the resource can reject the write.
     */
    public static CriticalSection careless(WorkerRequest ask) {
        return new CriticalSection(ask, true, false, Duration.ZERO);
    }

    /** The same without the raise. */
    public CriticalSection withoutRaise() {
        return new CriticalSection(ask, false, checksLease, pause);
    }

    /** A point in a section where a worker can be stopped, so that a fault hits it exactly there. */
    public enum Point {
        /** The lock is held; the resource has not seen the token. */
        HELD,
        /** The value was read and the lease was checked; the write comes next. */
        CHECKED,
        /** The write was answered; the release comes next. */
        WRITTEN
    }

    /** How a section ended. */
    public enum Outcome {
        /** The write was accepted. */
        WRITTEN,
        /** The resource rejected the raise or the write as stale. */
        STALE,
        /** The check returned "not held", and the worker did not write. */
        LOST,
        /** The lock was not free within the patience. */
        BUSY,
        /** The store could not be reached. */
        UNAVAILABLE,
        /** The acquire failed in another way. */
        FAILED,
        /** The resource did not answer. */
        UNKNOWN
    }

    /**
     * The report of a section.
     *
     * @param outcome how it ended
     * @param token the fencing token, 0 if the lock was not granted
     * @param base the value that was read
     * @param value the value that was written, or should have been
     * @param held the result of the check
     * @param detail further details, for messages
     */
    public record Report(Outcome outcome, long token, long base, long value, boolean held, String detail) {
        WorkerMessage writeTo(WorkerMessage message) {
            return message.with("outcome", outcome)
                    .with("token", token)
                    .with("base", base)
                    .with("value", value)
                    .with("held", held)
                    .with("detail", detail);
        }

        static Report readFrom(WorkerMessage message) {
            return new Report(
                    Outcome.valueOf(message.text("outcome")),
                    message.number("token"),
                    message.number("base"),
                    message.number("value"),
                    message.yes("held"),
                    message.text("detail"));
        }
    }

    WorkerMessage writeTo(WorkerMessage message) {
        return ask.writeTo(message)
                .with("raise", raise)
                .with("checksLease", checksLease)
                .with("pause", pause);
    }

    static CriticalSection readFrom(WorkerMessage message) {
        return new CriticalSection(
                WorkerRequest.readFrom(message),
                message.yes("raise"),
                message.yes("checksLease"),
                message.duration("pause"));
    }
}
