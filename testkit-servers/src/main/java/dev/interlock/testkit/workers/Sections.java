package dev.interlock.testkit.workers;

import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.Locks;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.history.Attempt;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.workers.Section.Outcome;
import dev.interlock.testkit.workers.Section.Point;
import dev.interlock.testkit.workers.Section.Report;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Takes locks and runs sections in a worker; counts how they end. Thread-safe. */
final class Sections {
    private final Locks locks;
    private final Recorder recorder;
    private final Connections connections;
    private final Points points;
    private final Tally tally;
    private final Tenures tenures;

    Sections(Locks locks, Recorder recorder, Connections connections, Points points, Tally tally, Tenures tenures) {
        this.locks = locks;
        this.recorder = recorder;
        this.connections = connections;
        this.points = points;
        this.tally = tally;
        this.tenures = tenures;
    }

    /** What an acquire came to: a tenure, or otherwise an outcome. */
    record Taken(Optional<Tenure> tenure, Outcome otherwise, String detail) {
        private static Taken not(Outcome outcome, String detail) {
            return new Taken(Optional.empty(), outcome, detail);
        }
    }

    /** Asks for the lock and writes down how that ended; throws only what the API does not document. */
    Taken take(Ask ask, long owner) {
        // A scope of its own: commands share threads, and what one of them holds is no business of the next.
        LockRequest<Lease> request = locks.with(ask.key())
                .in(locks.newScope("worker"))
                .leaseFor(ask.leaseFor())
                .renew(ask.renew());
        Attempt attempt =
                recorder.acquire(ask.key().name(), owner, ask.leaseFor().toNanos());
        try {
            Optional<Lease> lease =
                    ask.waitAtMost().isZero() ? request.tryAcquire() : request.tryAcquire(ask.waitAtMost());
            if (lease.isEmpty()) {
                noteBusy(attempt, ask.waitAtMost());
                return Taken.not(Outcome.BUSY, "");
            }
            tally.granted();
            Tenure tenure = new Tenure(lease.get(), attempt, connections, tally::lost);
            tenures.began(ask.key(), tenure);
            return new Taken(Optional.of(tenure), Outcome.FAILED, "");
        } catch (StoreUnavailableException e) {
            // The caller holds nothing, but the store may have granted what is now being taken back.
            attempt.unknown();
            return Taken.not(Outcome.UNAVAILABLE, e.toString());
        } catch (InterlockClosedException e) {
            attempt.closed();
            return Taken.not(Outcome.FAILED, e.toString());
        } catch (LockInterruptedException e) {
            attempt.interrupted();
            return Taken.not(Outcome.FAILED, e.toString());
        } catch (LockRefusedException e) {
            attempt.cancelled();
            return Taken.not(Outcome.FAILED, e.toString());
        } catch (RuntimeException e) {
            attempt.unknown();
            throw e;
        }
    }

    private static void noteBusy(Attempt attempt, Duration patience) {
        if (patience.isZero()) {
            attempt.busy();
        } else {
            attempt.timedOut();
        }
    }

    /** Runs the whole section. */
    Report run(Section section, long owner) {
        Taken taken = take(section.ask(), owner);
        Report report = taken.tenure().isPresent()
                ? under(taken.tenure().get(), section)
                : new Report(taken.otherwise(), 0, 0, 0, false, taken.detail());
        tally.ended(report.outcome());
        return report;
    }

    private Report under(Tenure tenure, Section section) {
        Report report;
        tenure.enter();
        try {
            report = protectedPart(tenure, section);
            points.passBy(Point.WRITTEN, tenure.key());
        } catch (UncheckedIOException e) {
            report = new Report(Outcome.UNKNOWN, tenure.token(), 0, 0, false, e.toString());
        } finally {
            tenure.exit();
            tenure.release();
        }
        return report;
    }

    private Report protectedPart(Tenure tenure, Section section) {
        points.passBy(Point.HELD, tenure.key());
        if (section.raise() && !tenure.raise().accepted()) {
            return new Report(Outcome.STALE, tenure.token(), 0, 0, false, "raise refused");
        }
        long base = tenure.read().value();
        LockSupport.parkNanos(section.dawdle().toNanos());
        boolean held = tenure.check();
        points.passBy(Point.CHECKED, tenure.key());
        long value = tenure.freshValue();
        if (!held && section.heed()) {
            return new Report(Outcome.LOST, tenure.token(), base, value, false, "");
        }
        boolean accepted = tenure.write(base, value).accepted();
        return new Report(accepted ? Outcome.WRITTEN : Outcome.STALE, tenure.token(), base, value, held, "");
    }
}
