package dev.interlock.testkit.workers;

import java.time.Duration;

/**
 * What a worker does under a lock: raise the fence, read, dawdle, check, write, release.
 *
 * @param ask the lock
 * @param raise whether the token is shown before the read; leaving that out is the mistake that loses updates
 * @param heed whether a check that says "not held" keeps it from writing; a careless worker writes all the same
 * @param dawdle how long it takes between read and check
 */
public record Section(Ask ask, boolean raise, boolean heed, Duration dawdle) {
    /** Raises, does not dawdle, and writes whatever the check says, so that only the resource stands in the way. */
    public static Section careless(Ask ask) {
        return new Section(ask, true, false, Duration.ZERO);
    }

    /** The same without the raise. */
    public Section withoutRaise() {
        return new Section(ask, false, heed, dawdle);
    }

    /** A place in a section where a worker can be made to stop, so that a fault hits it exactly there. */
    public enum Point {
        /** The lock is held; nothing was shown to the resource. */
        HELD,
        /** The value was read, and the check has said whether the lock is held; the write comes next. */
        CHECKED,
        /** The write was answered; the release comes next. */
        WRITTEN
    }

    /** How a section ended. */
    public enum Outcome {
        /** The write was accepted. */
        WRITTEN,
        /** The resource refused the raise or the write as stale. */
        STALE,
        /** The check said that the lock is lost, and the worker heeded it. */
        LOST,
        /** The lock stayed busy. */
        BUSY,
        /** The store could not be reached. */
        UNAVAILABLE,
        /** The acquire failed in another way. */
        FAILED,
        /** The resource did not answer. */
        UNKNOWN
    }

    /**
     * What a section came to.
     *
     * @param outcome how it ended
     * @param token of the lock, 0 if it was not had
     * @param base the value that was read
     * @param value the value that was written, or should have been
     * @param held what the check said
     * @param detail what was told beside that, for messages
     */
    public record Report(Outcome outcome, long token, long base, long value, boolean held, String detail) {
        Message writeTo(Message message) {
            return message.with("outcome", outcome)
                    .with("token", token)
                    .with("base", base)
                    .with("value", value)
                    .with("held", held)
                    .with("detail", detail);
        }

        static Report readFrom(Message message) {
            return new Report(
                    Outcome.valueOf(message.text("outcome")),
                    message.number("token"),
                    message.number("base"),
                    message.number("value"),
                    message.yes("held"),
                    message.text("detail"));
        }
    }

    Message writeTo(Message message) {
        return ask.writeTo(message).with("raise", raise).with("heed", heed).with("dawdle", dawdle);
    }

    static Section readFrom(Message message) {
        return new Section(
                Ask.readFrom(message), message.yes("raise"), message.yes("heed"), message.duration("dawdle"));
    }
}
