package dev.interlock.testkit.workers;

import dev.interlock.lock.DeadlockException;
import dev.interlock.lock.InterlockException;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrderException;
import dev.interlock.lock.LockScope;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.Locks;
import dev.interlock.testkit.history.RecordedAttempt;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.workers.NestedLocks.Outcome;
import dev.interlock.testkit.workers.NestedLocks.Report;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Acquires nested locks in a worker. Each nest has a scope of its own, which is its owner in the history. Thread-safe.
 */
final class NestedLockRunner {
    private final Locks locks;
    private final Recorder recorder;
    private final Connections connections;
    private final WorkerCounts counts;
    private final RecordedLeases recordedLeases;

    NestedLockRunner(
            Locks locks,
            Recorder recorder,
            Connections connections,
            WorkerCounts counts,
            RecordedLeases recordedLeases) {
        this.locks = locks;
        this.recorder = recorder;
        this.connections = connections;
        this.counts = counts;
        this.recordedLeases = recordedLeases;
    }

    Report run(NestedLocks nest, long owner) {
        return nest.together() ? together(nest) : nested(nest, owner);
    }

    private Report together(NestedLocks nest) {
        long began = System.nanoTime();
        try (LeaseSet set = locks.with(nest.keys())
                .in(locks.newScope("nest"))
                .leaseFor(nest.leaseFor())
                .waitAtMost(nest.patience())
                .acquire()) {
            LockSupport.parkNanos(nest.dwell().toNanos());
            return new Report(set.isHeld() ? Outcome.DONE : Outcome.FAILED, since(began), "");
        } catch (InterlockException e) {
            return new Report(Outcome.FAILED, since(began), e.toString());
        }
    }

    private Report nested(NestedLocks nest, long owner) {
        LockScope scope = locks.newScope("nest");
        Deque<RecordedLease> held = new ArrayDeque<>();
        Report report = new Report(Outcome.DONE, Duration.ZERO, "");
        try {
            for (LockKey key : nest.keys()) {
                report = take(nest, key, scope, owner, held);
                if (report.outcome() != Outcome.DONE) {
                    break;
                }
                LockSupport.parkNanos(nest.dwell().toNanos());
            }
        } finally {
            held.forEach(RecordedLease::release);
        }
        return report;
    }

    private Report take(NestedLocks nest, LockKey key, LockScope scope, long owner, Deque<RecordedLease> held) {
        RecordedAttempt attempt =
                recorder.acquire(key.name(), owner, nest.leaseFor().toNanos());
        long began = System.nanoTime();
        try {
            Lease lease = locks.with(key)
                    .in(scope)
                    .leaseFor(nest.leaseFor())
                    .waitAtMost(nest.patience())
                    .acquire();
            counts.granted();
            RecordedLease recorded = new RecordedLease(lease, attempt, connections, counts::lost);
            recordedLeases.began(key, recorded);
            held.push(recorded);
            return new Report(Outcome.DONE, since(began), "");
        } catch (DeadlockException e) {
            attempt.deadlockVictim();
            attempt.cancelled();
            return new Report(Outcome.DEADLOCK, since(began), String.valueOf(e.getMessage()));
        } catch (LockOrderException e) {
            attempt.cancelled();
            return new Report(Outcome.ORDER, since(began), e.toString());
        } catch (LockTimeoutException e) {
            attempt.timedOut();
            return new Report(Outcome.BUSY, since(began), e.toString());
        } catch (InterlockException e) {
            attempt.unknown();
            return new Report(Outcome.FAILED, since(began), e.toString());
        }
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** Returns a nest of two to four different keys in random order. */
    static NestedLocks random(List<LockKey> keys, NestedLocks like, SplittableRandom random) {
        Deque<LockKey> chosen = new ArrayDeque<>();
        int depth = 2 + random.nextInt(3);
        while (chosen.size() < depth) {
            LockKey key = keys.get(random.nextInt(keys.size()));
            if (!chosen.contains(key)) {
                chosen.add(key);
            }
        }
        return new NestedLocks(
                List.copyOf(chosen),
                false,
                like.leaseFor(),
                like.patience(),
                Duration.ofNanos(random.nextLong(like.dwell().toNanos() + 1)));
    }
}
