package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;

/**
 * The operation of an event, and the layout of the header word.
 *
 * <p>The words of a slot are: header, time, attempt, owner, token, {@code a}, {@code b}, {@code c}. Each operation
 * documents its last three. The numbers are the file format: none is ever reused, and zero means an unfinished slot.
 */
enum Op {
    /** a = valid until, b = lease length, c = permits (upper half) and capacity. */
    ACQUIRE(1, "acquire"),
    /** a = valid until, b = lease length, c = number of the renewal. */
    RENEW(2, "renew"),
    RELEASE(3, "release"),
    /** The holder is notified that its lease is lost. */
    LOST(4, "notified of loss"),
    /** The answer to "do I hold it?": a = when the question was asked, cause = the answer. */
    CHECK(5, "check"),
    ENTER(6, "enter section"),
    STEP(7, "step in section"),
    EXIT(8, "exit section"),
    /** b = depth afterwards. */
    REENTER(9, "re-enter"),
    /** b = depth afterwards. */
    LEAVE(10, "leave"),
    /** A store granted an attempt whose wait had ended. The grant must not be used. */
    LATE_GRANT(11, "late grant"),
    /** a = set, b = position (upper half) and size. */
    SET_MEMBER(12, "requested in set"),
    /** a = set, b = position (upper half) and size. */
    SET_TAKEN(13, "taken in set"),
    /** The owner waits for the scope in a. */
    WAIT_BEGIN(14, "waits for"),
    /** The owner no longer waits for the scope in a. */
    WAIT_END(15, "no longer waits for"),
    VICTIM(16, "deadlock victim"),
    /** From the view of the client: a = base, b = new value. */
    CLIENT_WRITE(17, "write"),
    /** In the log of the resource: c = fence before. */
    RAISE(18, "raise at resource"),
    /** In the log of the resource: a = value, c = fence. */
    READ(19, "read at resource"),
    /** In the log of the resource: a = base, b = new value, c = fence before. */
    WRITE(20, "write at resource"),
    /** At rest: a = value. */
    FINAL_READ(21, "final read"),
    /** key = kind, attempt = fault id, a = process it is aimed at, or -1. */
    FAULT(22, "fault"),
    /** key = server, cause = whether it kept its memory. */
    RESTART(23, "server restart"),
    /** cause = whether the key is held although it should be free. */
    AT_REST(24, "at rest"),
    /** a = the other process, b = bound in nanos. */
    CLOCK_BOUND(25, "clock bound");

    static final int EXCLUSIVE = 0;
    static final int SHARED = 1;
    static final int PERMITS = 2;

    private static final Op[] ALL = values();

    private final int code;
    final String description;

    Op(int code, String description) {
        this.code = code;
        this.description = description;
    }

    static Op of(long header) {
        return ALL[(int) (header & 0xFF) - 1];
    }

    int code() {
        return code;
    }

    /** Whether its events belong to an attempt and are written by the process that made it. */
    boolean isOfAttempt() {
        return code < RAISE.code;
    }

    /** The progress of an operation. A point event has no end. */
    enum Phase {
        POINT(0),
        INVOKE(1),
        OK(2),
        FAIL(3),
        UNKNOWN(4);

        private static final Phase[] ALL = values();

        private final int code;

        Phase(int code) {
            this.code = code;
        }

        static Phase of(long header) {
            return ALL[(int) ((header >>> 8) & 0xF)];
        }
    }

    /** Why a wait ended, for failed acquires; or the answer, for questions with a yes or no. */
    enum Cause {
        NONE(0),
        BUSY(1),
        TIMED_OUT(2),
        CANCELLED(3),
        INTERRUPTED(4),
        CLOSED(5),
        YES(6),
        NO(7);

        private static final Cause[] ALL = values();

        private final int code;

        Cause(int code) {
            this.code = code;
        }

        static Cause of(long header) {
            return ALL[(int) ((header >>> 14) & 0xF)];
        }

        static Cause of(boolean answer) {
            return answer ? YES : NO;
        }
    }

    /** Bits: 0 operation, 8 phase, 12 mode, 14 cause, 18 process (filled in by the reader), 32 name of the key. */
    static long header(Op op, Phase phase, int mode, Cause cause, int name) {
        return op.code | (long) phase.code << 8 | (long) mode << 12 | (long) cause.code << 14 | (long) name << 32;
    }

    static long withOrigin(long header, int process, int name) {
        return (header & 0x3_FFFF) | (long) process << 18 | (long) name << 32;
    }

    static int codeOf(LockMode mode) {
        return switch (mode) {
            case EXCLUSIVE -> EXCLUSIVE;
            case SHARED -> SHARED;
            case PERMITS -> PERMITS;
        };
    }

    static int mode(long header) {
        return (int) ((header >>> 12) & 3);
    }

    static int process(long header) {
        return (int) ((header >>> 18) & 0x3FFF);
    }

    static int name(long header) {
        return (int) (header >>> 32);
    }
}
