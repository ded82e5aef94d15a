package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;

/** One attempt from the view of its process. */
final class ModelHold {
    enum State {
        WAITING,
        HELD,
        LOST,
        ENDED,
        CLOSED
    }

    final RecordedAttempt record;
    final ModelStore.Claim claim;
    final Runnable onGranted;
    final Runnable onEnded;
    State state = State.WAITING;
    long validUntil;
    long waitsFor;
    long waitsSince;

    ModelHold(
            RecordedAttempt record,
            String key,
            LockMode mode,
            int permits,
            long lease,
            Runnable onGranted,
            Runnable onEnded) {
        this.record = record;
        this.claim = new ModelStore.Claim(record.id(), record.owner(), key, mode, permits, lease);
        this.onGranted = onGranted;
        this.onEnded = onEnded;
    }

    String key() {
        return claim.key();
    }
}
