package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.internal.deadlock.DeadlockVerdict;
import dev.interlock.internal.deadlock.ReportedWait;
import dev.interlock.internal.deadlock.SuspectedDeadlocks;
import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.internal.runtime.Timetable;
import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.WaitForGraph.Edge;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Searches the long waits of this process for deadlocks: reports them to all processes, reads the reports of the
 * others, and ends a wait of its own that is the victim of a confirmed cycle.
 *
 * <p>Asleep while no request waits. Rings when a wait becomes long, and then at every interval. One interval is one
 * call to the store, and the next begins when that is answered; {@link SuspectedDeadlocks} relies on this. Everything
 * but {@link #begun} runs on the lane.
 */
final class LongWaits extends Timetable.Entry {
    private final EngineRuntime runtime;
    private final Gates gates;
    private final WaitReports reports;
    private final DeadlockDetection detection;
    private final long afterNanos;
    private final AtomicBoolean awake = new AtomicBoolean();
    private final LongWaitList waits;
    private final SuspectedDeadlocks suspects = new SuspectedDeadlocks();

    /** When the last scan began, and how long it took: frequent scans of ten thousand waits would keep a core busy. */
    private long scannedNanos;

    private long scanTook;
    private long readNanos;
    private boolean hasRead;

    LongWaits(EngineRuntime runtime, EngineSettings settings, StoreAccess access, Gates gates, WaitReports reports) {
        this.runtime = runtime;
        this.gates = gates;
        this.reports = reports;
        this.detection = settings.deadlocks();
        this.afterNanos = detection.after().toNanos();
        this.waits = new LongWaitList(access.publicId(), settings.process());
    }

    /** A request that began at this moment was parked, for the first time or again. */
    void begun(long patienceNanos, long startedNanos) {
        if (patienceNanos > afterNanos && detection.isOn() && !awake.get() && awake.compareAndSet(false, true)) {
            runtime.timetable().set(this, Math.max(runtime.now(), startedNanos + afterNanos));
        }
    }

    @Override
    protected void ring(long nowNanos) {
        runtime.lane().execute(() -> {
            try {
                scan();
            } catch (RuntimeException | Error bug) {
                failed(bug);
            }
        });
    }

    /** A bug must not end the search for good: requests in a deadlock would wait until their patience is over. */
    private void failed(Throwable bug) {
        runtime.log().log(System.Logger.Level.ERROR, "Could not search for deadlocks; trying again", bug);
        scheduleNext(runtime.now() + Protocol.HARMLESS_REPORT_NANOS);
    }

    // ---- reporting ----------------------------------------------------------------------------------------------

    private void scan() {
        if (runtime.isClosed()) {
            return;
        }
        long now = runtime.now();
        scannedNanos = now;
        Instant wall = runtime.environment().wall();
        long becomesLong = waits.addLong(waiting(), afterNanos, now);
        List<ReportedWait> described = waits.describe(now, wall);
        boolean reads = waits.mayBlockOthers() || isReadDue(now);
        List<String> removed = waits.obsolete();
        scanTook = runtime.now() - now;
        if (!described.isEmpty() || !removed.isEmpty()) {
            exchange(
                    new WaitReportExchange(waits.reports(described), removed, Protocol.REPORTS_KEPT, reads),
                    becomesLong);
        } else {
            scheduleNext(becomesLong);
        }
    }

    private boolean isReadDue(long now) {
        return !hasRead || now - readNanos >= Protocol.MAX_READ_PAUSE_NANOS;
    }

    private Set<Waiter> waiting() {
        Set<Waiter> waiting = new LinkedHashSet<>();
        gates.all().forEach(gate -> gate.addWaiters(waiting));
        waiting.removeIf(waiter -> waiter.isSettled() || waiter.settings().waitAtMostNanos() <= afterNanos);
        return waiting;
    }

    private void exchange(WaitReportExchange exchange, long becomesLong) {
        reports.setOwn(waits.lastReports());
        long sent = runtime.now();
        runtime.calls()
                .<List<WaitReport>>aside(() -> reports.exchange(exchange), runtime.answerNanos(), (answer, failure) -> {
                    if (failure != null && failure.kind() == StoreException.Kind.REFUSED) {
                        runtime.warnOnce(
                                "deadlock detection",
                                "Deadlocks with other processes are not found: " + failure.getMessage());
                    }
                    runtime.lane().execute(() -> answered(exchange, isFresh(sent) ? answer : null, becomesLong));
                });
    }

    /** A process that was stopped for a while may read reports of waits that have ended since then. */
    private boolean isFresh(long sentNanos) {
        return runtime.now() - sentNanos <= runtime.answerNanos();
    }

    private void answered(WaitReportExchange exchange, @Nullable List<WaitReport> answer, long becomesLong) {
        try {
            if (answer == null) {
                waits.unanswered();
            } else {
                waits.removed(exchange.removed().size());
                if (exchange.read()) {
                    hasRead = true;
                    readNanos = runtime.now();
                    search(answer);
                    scanTook += runtime.now() - readNanos;
                }
            }
            scheduleNext(becomesLong);
        } catch (RuntimeException | Error bug) {
            failed(bug);
        }
    }

    // ---- searching ----------------------------------------------------------------------------------------------

    private void search(List<WaitReport> all) {
        List<ReportedWait> parsed = WaitReports.parse(all);
        List<Edge> edges =
                WaitReports.graph(parsed, runtime.environment().wall()).edges();
        if (detection.isSearching()) {
            suspects.confirmed(Deadlock.among(edges), parsed).forEach(this::endVictim);
        }
        for (WaitReport report : all) {
            Optional<DeadlockVerdict> verdict =
                    DeadlockVerdict.read(report).filter(found -> waits.find(found.victim()) != null);
            verdict.flatMap(found -> found.among(edges)).ifPresent(this::endVictim);
        }
    }

    private void endVictim(Deadlock deadlock) {
        LongWait victim = waits.find(deadlock.victim().id());
        Waiter.Standing standing = victim == null ? null : victim.waiter.standing();
        // Not if it has got its key since then and waits for the next one. It may still move between this check and its
        // end, as any wait that ends may.
        if (victim != null && standing != null && victim.isStill(standing)) {
            victim.waiter.giveUpFor(deadlock);
        }
    }

    // ---- the next scan ------------------------------------------------------------------------------------------

    /** Schedules the next scan. Without waits it is asleep until a request begins to wait. */
    private void scheduleNext(long becomesLong) {
        long next = becomesLong;
        if (!waits.isEmpty() || waits.hasObsolete()) {
            long interval = suspects.isAny()
                    ? Protocol.SUSPICIOUS_REPORT_NANOS
                    : waits.mayBlockOthers() || waits.hasObsolete()
                            ? Protocol.REPORT_NANOS
                            : Protocol.HARMLESS_REPORT_NANOS;
            // Not later than a wait that begins now can become long. If there is nothing to report then, nothing is
            // sent.
            next = Math.min(next, runtime.now() + Math.min(interval, Math.max(afterNanos, Protocol.REPORT_NANOS)));
        }
        if (next == Long.MAX_VALUE) {
            awake.set(false);
            // A request may have begun to wait while this was still awake.
            next = waiting().isEmpty() || !awake.compareAndSet(false, true)
                    ? Long.MAX_VALUE
                    : runtime.now() + afterNanos;
        }
        if (next != Long.MAX_VALUE) {
            runtime.timetable().set(this, Math.max(next, scannedNanos + scanPause()));
        }
    }

    /** Bounded: a process that was stopped during a scan must not sleep for many times that long. */
    private long scanPause() {
        long wanted = Math.max(Protocol.MIN_SCAN_NANOS, scanTook * Protocol.SCAN_PAUSE_FACTOR);
        return Math.min(wanted, Protocol.HARMLESS_REPORT_NANOS);
    }
}
