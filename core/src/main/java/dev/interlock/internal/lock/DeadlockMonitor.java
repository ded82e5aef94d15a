package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.internal.deadlock.DeadlockVerdict;
import dev.interlock.internal.deadlock.ReportedWait;
import dev.interlock.internal.deadlock.SuspectedDeadlocks;
import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.LeaderElection;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches for deadlocks on behalf of all processes while this process is the leader. It covers waits of processes
 * that do not search themselves.
 *
 * <p>It writes each deadlock as a {@link DeadlockVerdict} among the wait reports, and the victim's process reads the
 * verdict with its next report. If the monitor dies, another one is elected. Two monitors at the same time choose the
 * same victims.
 */
final class DeadlockMonitor implements LeaderElection.Listener {
    /** The key of the election. It needs no declared lock type. */
    static final LockKey KEY = LockKey.of("interlock", "deadlock-monitor");

    /** How long the namespace has no monitor after one died. */
    private static final Duration LEASE = Duration.ofSeconds(5);

    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final StoreAccess access;
    private final WaitReports reports;
    private final Locks locks;
    private final SuspectedDeadlocks suspects = new SuspectedDeadlocks();
    private volatile @Nullable Lease leadership;
    private volatile @Nullable LeaderElection election;

    DeadlockMonitor(
            EngineRuntime runtime, EngineSettings settings, StoreAccess access, WaitReports reports, Locks locks) {
        this.runtime = runtime;
        this.settings = settings;
        this.access = access;
        this.reports = reports;
        this.locks = locks;
    }

    void start() {
        DeadlockDetection detection = settings.deadlocks();
        if (detection.isMonitoring() && access.capabilities().waitReports()) {
            LeaderElection campaign = LeaderElection.over(locks, locks.with(KEY).leaseFor(LEASE), KEY, this);
            election = campaign;
            campaign.campaign();
        }
    }

    void stop() {
        LeaderElection campaign = election;
        election = null;
        if (campaign != null) {
            campaign.close();
        }
    }

    @Override
    public void onElected(Lease elected) {
        leadership = elected;
        searchLater(elected);
    }

    private void searchLater(Lease elected) {
        long pause = suspects.isAny() ? Protocol.SUSPICIOUS_REPORT_NANOS : Protocol.REPORT_NANOS;
        runtime.later(pause, () -> {
            if (leadership == elected && elected.isHeld()) {
                exchange(WaitReportExchange.reading(), elected);
            }
        });
    }

    private void exchange(WaitReportExchange exchange, Lease elected) {
        runtime.calls()
                .<List<WaitReport>>aside(
                        () -> reports.exchange(exchange),
                        runtime.answerNanos(),
                        (answer, failure) -> runtime.lane().execute(() -> {
                            List<WaitReport> verdicts =
                                    answer == null || !exchange.read() ? List.of() : searched(answer);
                            if (verdicts.isEmpty()) {
                                searchLater(elected);
                            } else {
                                exchange(
                                        new WaitReportExchange(verdicts, List.of(), Protocol.REPORTS_KEPT, false),
                                        elected);
                            }
                        }));
    }

    /** A bug must not end the search for good. */
    private List<WaitReport> searched(List<WaitReport> all) {
        try {
            return search(all);
        } catch (RuntimeException | Error bug) {
            runtime.log().log(
                    System.Logger.Level.ERROR, "The monitor could not search for deadlocks; trying again", bug);
            return List.of();
        }
    }

    private List<WaitReport> search(List<WaitReport> all) {
        List<ReportedWait> waits = WaitReports.parse(all);
        List<Deadlock> deadlocks = Deadlock.among(
                WaitReports.graph(waits, runtime.environment().wall()).edges());
        return suspects.confirmed(deadlocks, waits).stream()
                .map(deadlock -> DeadlockVerdict.on(deadlock).report())
                .toList();
    }
}
