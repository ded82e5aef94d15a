package dev.interlock.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A scheduled job that runs on one instance at a time, for a limited time, and not more often than wanted.
 *
 * <pre>
 *   instance A  |== runs ==|--- kept until atLeastFor ---|
 *   instance B     skips            skips                  |== runs ==|
 *                                    atMostFor ^ a run that has not ended by then loses its lock
 * </pre>
 *
 * <p>The lock is a short lease that is renewed while the job runs. After a crash, the next instance therefore waits
 * for the lease only, {@code leaseFor} of the lock's settings or {@code atLeastFor} if that is longer, and not for
 * {@code atMostFor}.
 *
 * <p>Immutable and thread-safe.
 *
 * @since 0.1.0
 */
public final class JobLock {
    private final Locks locks;
    private final LockKey key;
    private final Duration atMost;
    private final Duration atLeast;

    private JobLock(Locks locks, LockKey key, Duration atMost, Duration atLeast) {
        this.locks = locks;
        this.key = key;
        this.atMost = atMost;
        this.atLeast = atLeast;
    }

    /** A job that may run for at most an hour, and again as soon as it has ended. */
    public static JobLock over(Locks locks, LockKey key) {
        Objects.requireNonNull(locks, "locks is null: give the Locks to use");
        Objects.requireNonNull(key, "key is null: name the job");
        return new JobLock(locks, key, Duration.ofHours(1), Duration.ZERO);
    }

    /** After this time the lock is lost even if the job still runs. The job is notified through its lease. */
    public JobLock atMostFor(Duration longest) {
        Objects.requireNonNull(longest, "atMostFor is null: give a Duration");
        if (longest.compareTo(LockSettings.MIN_LEASE) < 0 || longest.compareTo(LockSettings.MAX_HOLD) > 0) {
            throw new IllegalArgumentException("atMostFor is " + longest + ": choose a duration between "
                    + LockSettings.MIN_LEASE + " and " + LockSettings.MAX_HOLD);
        }
        return new JobLock(locks, key, longest, atLeast);
    }

    /**
     * Keeps the lock for this long after the start even if the job ends sooner, so that an instance whose schedule is
     * a little late does not run the job again. If this process dies in between, the lease still lasts that long.
     */
    public JobLock atLeastFor(Duration shortest) {
        Objects.requireNonNull(shortest, "atLeastFor is null: give a Duration");
        if (shortest.isNegative() || shortest.compareTo(LockSettings.MAX_LEASE) > 0) {
            throw new IllegalArgumentException(
                    "atLeastFor is " + shortest + ": choose a duration between PT0S and " + LockSettings.MAX_LEASE);
        }
        return new JobLock(locks, key, atMost, shortest);
    }

    /**
     * Runs the job, unless another instance runs it or has just run it.
     *
     * @return true if it ran here, false if it was skipped
     * @throws IllegalArgumentException if {@code atLeastFor} is longer than {@code atMostFor}
     * @throws StoreUnavailableException if the store did not answer; the job did not run
     */
    public <E extends Exception> boolean tryRun(LockedAction<? super Lease, E> job) throws E {
        Objects.requireNonNull(job, "job is null: pass the code to run");
        if (atLeast.compareTo(atMost) > 0) {
            throw new IllegalArgumentException("atLeastFor " + atLeast + " is longer than atMostFor " + atMost
                    + ": shorten the one or lengthen the other");
        }
        // A scope of its own: the lock may outlive this call and must not count as held by this thread then.
        Optional<Lease> held =
                request().in(locks.newScope("job " + shortName())).tryAcquire();
        if (held.isEmpty()) {
            return false;
        }
        CompletableFuture<Void> due = new CompletableFuture<>();
        try {
            if (!atLeast.isZero()) {
                locks.delayedExecutor(atLeast).execute(() -> due.complete(null));
            }
            job.run(held.get());
        } finally {
            releaseWhenDue(held.get(), due);
        }
        return true;
    }

    private LockRequest<Lease> request() {
        LockRequest<Lease> request = locks.with(key).holdAtMost(atMost);
        Duration standard = LockSettings.standard().leaseFor();
        Duration usual = standard == null || standard.compareTo(atMost) > 0 ? atMost : standard;
        return request.leaseFor(usual.compareTo(atLeast) < 0 ? atLeast : usual);
    }

    private void releaseWhenDue(Lease lease, CompletableFuture<Void> due) {
        if (atLeast.isZero() || due.isDone()) {
            lease.close();
        } else {
            var unused = due.thenRun(lease::releaseAsync);
        }
    }

    private String shortName() {
        return key.name().length() > 100 ? key.name().substring(0, 100) : key.name();
    }
}
