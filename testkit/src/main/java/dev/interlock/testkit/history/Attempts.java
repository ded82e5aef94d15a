package dev.interlock.testkit.history;

import java.util.Arrays;

/**
 * What is known of each attempt at one moment of the walk through time.
 *
 * <p>The checks see an event before it is taken in here, so what they find is the state before it. Attempts are numbered from
 * 0. Not thread-safe.
 */
final class Attempts {
    private static final int INVOKED = 0;
    private static final int GRANTED = 1;
    private static final int ENDED = 2;
    private static final int TOLD = 3;
    private static final int RENEWING = 4;
    private static final int RELEASING = 5;
    private static final int RELEASED = 6;
    private static final int STRIDE = 7;
    private static final int NONE = -1;

    private final History history;
    private final LongTable numbers = new LongTable(1024);
    // Event + 1, so that zero is none; what belongs to one attempt lies together.
    private int[] events = new int[1024 * STRIDE];
    private long[] validUntil = new long[1024];
    // The number of the newest renewal that was answered.
    private final Longs answered = new Longs();

    Attempts(History history) {
        this.history = history;
    }

    /** The number of the event's attempt, or -1 if it has none. */
    int of(int event) {
        long id = history.attempts[event];
        if (id == 0) {
            return NONE;
        }
        int attempt = numbers.add(id);
        if (attempt >= validUntil.length) {
            int more = attempt + (attempt >> 1) + 1;
            validUntil = Arrays.copyOf(validUntil, more);
            events = Arrays.copyOf(events, more * STRIDE);
        }
        return attempt;
    }

    int size() {
        return numbers.size();
    }

    /** Whether the owner was granted the key of this event with its token, by any attempt. */
    boolean wasGranted(int event) {
        for (int attempt = 0; attempt < size(); attempt++) {
            int granted = granted(attempt);
            if (granted >= 0
                    && history.owners[granted] == history.owners[event]
                    && history.tokens[granted] == history.tokens[event]
                    && Op.name(history.headers[granted]) == Op.name(history.headers[event])) {
                return true;
            }
        }
        return false;
    }

    /** The event by which it was asked for, or -1. */
    int invoked(int attempt) {
        return get(attempt, INVOKED);
    }

    /** The event by which it was granted, or -1. */
    int granted(int attempt) {
        return get(attempt, GRANTED);
    }

    /** The event by which its wait ended without a grant, or -1. */
    int ended(int attempt) {
        return get(attempt, ENDED);
    }

    /** The first event by which the holder learnt that it is lost, or -1. */
    int told(int attempt) {
        return get(attempt, TOLD);
    }

    /** The newest renewal that was asked for, or -1. */
    int renewing(int attempt) {
        return get(attempt, RENEWING);
    }

    /** The first release that was asked for, or -1. */
    int releasing(int attempt) {
        return get(attempt, RELEASING);
    }

    /** The event by which it was released for certain, or -1. */
    int released(int attempt) {
        return get(attempt, RELEASED);
    }

    /** What the holder may believe; 0 before the grant. */
    long validUntil(int attempt) {
        return validUntil[attempt];
    }

    /** What the holder may believe once it has heard this grant or renewal: what is older news takes nothing away. */
    long validAfter(int event, int attempt) {
        boolean newer = Op.of(history.headers[event]) == Op.RENEW
                ? history.c[event] >= answered.get(attempt)
                : granted(attempt) < 0;
        return newer ? history.a[event] : Math.max(validUntil[attempt], history.a[event]);
    }

    /** Takes in an event, after everybody has seen the state before it. */
    void see(int event, int attempt, Op op, Op.Phase phase) {
        switch (op) {
            case ACQUIRE -> seeAcquire(event, attempt, phase);
            case RENEW -> seeRenew(event, attempt, phase);
            case RELEASE -> seeRelease(event, attempt, phase);
            case LOST -> setFirst(attempt, TOLD, event);
            case CHECK -> {
                if (Op.Cause.of(history.headers[event]) == Op.Cause.NO) {
                    setFirst(attempt, TOLD, event);
                }
            }
            default -> {}
        }
    }

    private void seeAcquire(int event, int attempt, Op.Phase phase) {
        switch (phase) {
            case INVOKE -> setFirst(attempt, INVOKED, event);
            case OK -> {
                validUntil[attempt] = validAfter(event, attempt);
                setFirst(attempt, GRANTED, event);
            }
            case FAIL -> setFirst(attempt, ENDED, event);
            default -> {}
        }
    }

    private void seeRenew(int event, int attempt, Op.Phase phase) {
        switch (phase) {
            case INVOKE -> set(attempt, RENEWING, event);
            case OK -> {
                validUntil[attempt] = validAfter(event, attempt);
                answered.set(attempt, Math.max(answered.get(attempt), history.c[event]));
            }
            case FAIL -> setFirst(attempt, TOLD, event);
            default -> {}
        }
    }

    private void seeRelease(int event, int attempt, Op.Phase phase) {
        switch (phase) {
            case INVOKE -> setFirst(attempt, RELEASING, event);
            case OK -> setFirst(attempt, RELEASED, event);
            case FAIL -> setFirst(attempt, TOLD, event);
            default -> {}
        }
    }

    private int get(int attempt, int what) {
        return events[attempt * STRIDE + what] - 1;
    }

    private void set(int attempt, int what, int event) {
        events[attempt * STRIDE + what] = event + 1;
    }

    private void setFirst(int attempt, int what, int event) {
        if (get(attempt, what) == NONE) {
            set(attempt, what, event);
        }
    }
}
