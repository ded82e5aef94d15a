package dev.interlock.testkit.workers;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.RecordedAttempt;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One lease of a worker, from grant to release, with everything recorded: each request before it is sent, each result
 * before it is used.
 *
 * <p>The engine renews leases. A renewal is recorded when a step finds that the deadline has moved. Used by one thread
 * at a time; the loss is reported on another thread.
 */
final class RecordedLease {
    /** A smaller change of the deadline is not a renewal; the deadline was only read at another moment. */
    private static final long RENEWED_BY_NANOS = 5_000_000;

    private final Lease lease;
    private final RecordedAttempt attempt;
    private final Connections connections;
    private final String key;
    private final WriterIdentity identity;
    private final AtomicReference<@Nullable LossReason> lost = new AtomicReference<>();
    private long validUntilNanos; // guarded by this
    private boolean ending; // guarded by this

    RecordedLease(Lease lease, RecordedAttempt attempt, Connections connections, Runnable onLost) {
        this.lease = lease;
        this.attempt = attempt;
        this.connections = connections;
        key = lease.key().name();
        long token = lease.token().value();
        // The clock is read before the lease, so the recorded deadline is never later than the true one.
        validUntilNanos = System.nanoTime() + lease.remaining().toNanos();
        attempt.granted(token, validUntilNanos);
        identity = new WriterIdentity(attempt.id(), attempt.owner(), token);
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
        return identity.token();
    }

    /** A value that no other holder writes. */
    long freshValue() {
        return identity.attempt();
    }

    Optional<LossReason> lost() {
        return Optional.ofNullable(lost.get());
    }

    void enter() {
        recordRenewal();
        attempt.enter();
    }

    void exit() {
        attempt.exit();
    }

    ResourceAnswer raise() {
        step();
        return connections.ask(key, resource -> resource.raise(key, identity));
    }

    ResourceAnswer read() {
        step();
        return connections.ask(key, resource -> resource.read(key, identity));
    }

    boolean check() {
        recordRenewal();
        long asked = System.nanoTime();
        boolean held = lease.isHeld();
        attempt.checked(asked, held);
        return held;
    }

    /** Writes without checking the lease: the resource must reject a stale write. */
    ResourceAnswer write(long base, long value) {
        if (WorkerRequest.isUnfenced(key)) {
            // The unfenced twin exists to lose updates, so a lost update there breaks no promise.
            attempt.step();
            return connections.ask(key, resource -> resource.write(key, identity, base, value));
        }
        attempt.write(base, value);
        try {
            ResourceAnswer answer = connections.ask(key, resource -> resource.write(key, identity, base, value));
            recordWrite(answer.accepted(), base, value);
            return answer;
        } catch (UncheckedIOException e) {
            attempt.writeUnknown(base, value);
            throw e;
        }
    }

    private void recordWrite(boolean accepted, long base, long value) {
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

    /** Called before the whole Interlock is closed, which also releases this lease. */
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
        recordRenewal();
        attempt.step();
    }

    /** Records a later deadline; called before each step and on each renewal event. */
    synchronized void recordRenewal() {
        long now = System.nanoTime();
        long remaining = lease.remaining().toNanos();
        if (!ending && remaining > 0 && now + remaining - validUntilNanos > RENEWED_BY_NANOS) {
            validUntilNanos = now + remaining;
            attempt.renew();
            attempt.renewed(validUntilNanos);
        }
    }
}
