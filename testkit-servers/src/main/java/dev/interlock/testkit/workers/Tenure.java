package dev.interlock.testkit.workers;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.Attempt;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One lease of a worker, from grant to release, with everything written down: what is asked before it is asked, what was
 * heard before it is acted upon.
 *
 * <p>Renewals happen inside the engine; they are written down when a step finds that the deadline has moved. Used by one
 * thread at a time; the loss is told on another.
 */
final class Tenure {
    /** A deadline that moved by less was not renewed, only read at another moment. */
    private static final long RENEWED_BY_NANOS = 5_000_000;

    private final Lease lease;
    private final Attempt attempt;
    private final Connections connections;
    private final String key;
    private final Bearer bearer;
    private final AtomicReference<@Nullable LossReason> lost = new AtomicReference<>();
    private long validUntilNanos; // guarded by this
    private boolean ending; // guarded by this

    Tenure(Lease lease, Attempt attempt, Connections connections, Runnable onLost) {
        this.lease = lease;
        this.attempt = attempt;
        this.connections = connections;
        key = lease.key().name();
        long token = lease.token().value();
        // The clock before the question: the deadline that is written down is never later than the true one.
        validUntilNanos = System.nanoTime() + lease.remaining().toNanos();
        attempt.granted(token, validUntilNanos);
        bearer = new Bearer(attempt.id(), attempt.owner(), token);
        lease.onLost(reason -> {
            attempt.lost();
            lost.set(reason);
            onLost.run();
        });
    }

    String key() {
        return key;
    }

    long token() {
        return bearer.token();
    }

    /** A value that nobody else writes. */
    long freshValue() {
        return bearer.attempt();
    }

    Optional<LossReason> lost() {
        return Optional.ofNullable(lost.get());
    }

    void enter() {
        noteRenewal();
        attempt.enter();
    }

    void exit() {
        attempt.exit();
    }

    ResourceAnswer raise() {
        step();
        return connections.ask(key, resource -> resource.raise(key, bearer));
    }

    ResourceAnswer read() {
        step();
        return connections.ask(key, resource -> resource.read(key, bearer));
    }

    boolean check() {
        noteRenewal();
        long asked = System.nanoTime();
        boolean held = lease.isHeld();
        attempt.checked(asked, held);
        return held;
    }

    /** Writes, whatever the lease thinks of itself: it is for the resource to refuse. */
    ResourceAnswer write(long base, long value) {
        if (Ask.isUnfenced(key)) {
            // The control is there to lose updates, so an acknowledged write that gets lost there is no broken promise.
            attempt.step();
            return connections.ask(key, resource -> resource.write(key, bearer, base, value));
        }
        attempt.write(base, value);
        try {
            ResourceAnswer answer = connections.ask(key, resource -> resource.write(key, bearer, base, value));
            noteWrite(answer.accepted(), base, value);
            return answer;
        } catch (UncheckedIOException e) {
            attempt.writeUnknown(base, value);
            throw e;
        }
    }

    private void noteWrite(boolean accepted, long base, long value) {
        if (accepted) {
            attempt.writeAccepted(base, value);
        } else {
            attempt.writeRefused(base, value);
        }
    }

    ReleaseResult release() {
        end();
        ReleaseResult result = lease.release();
        switch (result) {
            case RELEASED -> attempt.released();
            case ALREADY_ENDED -> attempt.wasLost();
            case UNKNOWN -> attempt.releaseUnknown();
        }
        return result;
    }

    /** The whole Interlock is about to be closed, which gives this back too. */
    void closing() {
        end();
    }

    private synchronized void end() {
        ending = true;
        attempt.release();
    }

    void closed(boolean confirmed) {
        if (confirmed) {
            attempt.released();
        } else {
            attempt.releaseUnknown();
        }
    }

    private void step() {
        noteRenewal();
        attempt.step();
    }

    /** Writes down that the holder may rely on its lease for longer now; before each step, and when it is told. */
    synchronized void noteRenewal() {
        long now = System.nanoTime();
        long remaining = lease.remaining().toNanos();
        if (!ending && remaining > 0 && now + remaining - validUntilNanos > RENEWED_BY_NANOS) {
            validUntilNanos = now + remaining;
            attempt.renew();
            attempt.renewed(validUntilNanos);
        }
    }
}
