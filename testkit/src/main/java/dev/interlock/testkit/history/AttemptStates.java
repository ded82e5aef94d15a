package dev.interlock.testkit.history;

import java.util.Arrays;

/**
 * The state of each attempt at one moment of the walk through time.
 *
 * <p>The checks see an event before this class applies it, so they find the state before the event. Attempts are
 * numbered from 0. Not thread-safe.
 */
final class AttemptStates {
    private static final int INVOKED = 0;
    private static final int GRANTED = 1;
    private static final int ENDED = 2;
    private static final int NOTIFIED = 3;
    private static final int RENEWING = 4;
    private static final int RELEASING = 5;
    private static final int RELEASED = 6;
    private static final int STRIDE = 7;
    private static final int NONE = -1;

    private final History history;
    private final LongTable numbers = new LongTable(1024);
    // Event + 1, so that zero means none. The entries of one attempt are adjacent.
    private int[] events = new int[1024 * STRIDE];
    private long[] validUntil = new long[1024];
    // The number of the newest answered renewal.
    private final Longs answered = new Longs();

    AttemptStates(History history) {
        this.history = history;
    }

    /** Returns the number of the event's attempt, or -1 if it has none. */
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

    /** Returns whether any attempt of the owner was granted the key of this event with its token. */
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

    /** The event that requested it, or -1. */
    int invoked(int attempt) {
        return get(attempt, INVOKED);
    }

    /** The event that granted it, or -1. */
    int granted(int attempt) {
        return get(attempt, GRANTED);
    }

    /** The event that ended its wait without a grant, or -1. */
    int ended(int attempt) {
        return get(attempt, ENDED);
    }

    /** The first event that notified the holder of the loss, or -1. */
    int notified(int attempt) {
        return get(attempt, NOTIFIED);
    }

    /** The newest requested renewal, or -1. */
    int renewing(int attempt) {
        return get(attempt, RENEWING);
    }

    /** The first requested release, or -1. */
    int releasing(int attempt) {
        return get(attempt, RELEASING);
    }

    /** The event that certainly released it, or -1. */
    int released(int attempt) {
        return get(attempt, RELEASED);
    }

    /** How long the holder may rely on it; 0 before the grant. */
    long validUntil(int attempt) {
        return validUntil[attempt];
    }

    /** How long the holder may rely on it after this grant or renewal. An older answer never shortens the validity. */
    long validAfter(int event, int attempt) {
        boolean newer = Op.of(history.headers[event]) == Op.RENEW
                ? history.c[event] >= answered.get(attempt)
                : granted(attempt) < 0;
        return newer ? history.a[event] : Math.max(validUntil[attempt], history.a[event]);
    }

    /** Applies an event, after all checks have seen the state before it. */
    void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        switch (op) {
            case ACQUIRE -> onAcquire(event, attempt, phase);
            case RENEW -> onRenew(event, attempt, phase);
            case RELEASE -> onRelease(event, attempt, phase);
            case LOST -> setFirst(attempt, NOTIFIED, event);
            case CHECK -> {
                if (Op.Cause.of(history.headers[event]) == Op.Cause.NO) {
                    setFirst(attempt, NOTIFIED, event);
                }
            }
            default -> {}
        }
    }

    private void onAcquire(int event, int attempt, Op.Phase phase) {
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

    private void onRenew(int event, int attempt, Op.Phase phase) {
        switch (phase) {
            case INVOKE -> set(attempt, RENEWING, event);
            case OK -> {
                validUntil[attempt] = validAfter(event, attempt);
                answered.set(attempt, Math.max(answered.get(attempt), history.c[event]));
            }
            case FAIL -> setFirst(attempt, NOTIFIED, event);
            default -> {}
        }
    }

    private void onRelease(int event, int attempt, Op.Phase phase) {
        switch (phase) {
            case INVOKE -> setFirst(attempt, RELEASING, event);
            case OK -> setFirst(attempt, RELEASED, event);
            case FAIL -> setFirst(attempt, NOTIFIED, event);
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
