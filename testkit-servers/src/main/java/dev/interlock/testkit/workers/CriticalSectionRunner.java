package dev.interlock.testkit.workers;

import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.Locks;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.history.RecordedAttempt;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.workers.CriticalSection.Outcome;
import dev.interlock.testkit.workers.CriticalSection.Point;
import dev.interlock.testkit.workers.CriticalSection.Report;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Acquires locks and runs critical sections in a worker, and counts how they end. Thread-safe. */
final class CriticalSectionRunner {
    private final Locks locks;
    private final Recorder recorder;
    private final Connections connections;
    private final StopPoints stopPoints;
    private final WorkerCounts counts;
    private final RecordedLeases recordedLeases;

    CriticalSectionRunner(
            Locks locks,
            Recorder recorder,
            Connections connections,
            StopPoints stopPoints,
            WorkerCounts counts,
            RecordedLeases recordedLeases) {
        this.locks = locks;
        this.recorder = recorder;
        this.connections = connections;
        this.stopPoints = stopPoints;
        this.counts = counts;
        this.recordedLeases = recordedLeases;
    }

    /** The outcome of an acquire: a recorded lease, or an outcome without one. */
    record Attempted(Optional<RecordedLease> recorded, Outcome otherwise, String detail) {
        private static Attempted not(Outcome outcome, String detail) {
            return new Attempted(Optional.empty(), outcome, detail);
        }
    }

    /** Acquires the lock and records the outcome. Throws only what the API does not document. */
    Attempted take(WorkerRequest ask, long owner) {
        // A scope of its own: commands share threads, and the locks of one command must not affect the next.
        LockRequest<Lease> request = locks.with(ask.key())
                .in(locks.newScope("worker"))
                .leaseFor(ask.leaseFor())
                .renew(ask.renew());
        RecordedAttempt attempt =
                recorder.acquire(ask.key().name(), owner, ask.leaseFor().toNanos());
        try {
            Optional<Lease> lease =
                    ask.waitAtMost().isZero() ? request.tryAcquire() : request.tryAcquire(ask.waitAtMost());
            if (lease.isEmpty()) {
                recordBusy(attempt, ask.waitAtMost());
                return Attempted.not(Outcome.BUSY, "");
            }
            counts.granted();
            RecordedLease recorded = new RecordedLease(lease.get(), attempt, connections, counts::lost);
            recordedLeases.began(ask.key(), recorded);
            return new Attempted(Optional.of(recorded), Outcome.FAILED, "");
        } catch (StoreUnavailableException e) {
            // The caller holds nothing, but the store may have made a grant that the engine is now returning.
            attempt.unknown();
            return Attempted.not(Outcome.UNAVAILABLE, e.toString());
        } catch (InterlockClosedException e) {
            attempt.closed();
            return Attempted.not(Outcome.FAILED, e.toString());
        } catch (LockInterruptedException e) {
            attempt.interrupted();
            return Attempted.not(Outcome.FAILED, e.toString());
        } catch (LockRefusedException e) {
            attempt.cancelled();
            return Attempted.not(Outcome.FAILED, e.toString());
        } catch (RuntimeException e) {
            attempt.unknown();
            throw e;
        }
    }

    private static void recordBusy(RecordedAttempt attempt, Duration patience) {
        if (patience.isZero()) {
            attempt.busy();
        } else {
            attempt.timedOut();
        }
    }

    /** Runs the whole section. */
    Report run(CriticalSection section, long owner) {
        Attempted taken = take(section.ask(), owner);
        Report report = taken.recorded().isPresent()
                ? under(taken.recorded().get(), section)
                : new Report(taken.otherwise(), 0, 0, 0, false, taken.detail());
        counts.ended(report.outcome());
        return report;
    }

    private Report under(RecordedLease recorded, CriticalSection section) {
        Report report;
        recorded.enter();
        try {
            report = protectedPart(recorded, section);
            stopPoints.stopIfArmed(Point.WRITTEN, recorded.key());
        } catch (UncheckedIOException e) {
            report = new Report(Outcome.UNKNOWN, recorded.token(), 0, 0, false, e.toString());
        } finally {
            recorded.exit();
            recorded.release();
        }
        return report;
    }

    private Report protectedPart(RecordedLease recorded, CriticalSection section) {
        stopPoints.stopIfArmed(Point.HELD, recorded.key());
        if (section.raise() && !recorded.raise().accepted()) {
            return new Report(Outcome.STALE, recorded.token(), 0, 0, false, "raise rejected");
        }
        long base = recorded.read().value();
        LockSupport.parkNanos(section.pause().toNanos());
        boolean held = recorded.check();
        stopPoints.stopIfArmed(Point.CHECKED, recorded.key());
        long value = recorded.freshValue();
        if (!held && section.checksLease()) {
            return new Report(Outcome.LOST, recorded.token(), base, value, false, "");
        }
        boolean accepted = recorded.write(base, value).accepted();
        return new Report(accepted ? Outcome.WRITTEN : Outcome.STALE, recorded.token(), base, value, held, "");
    }
}
