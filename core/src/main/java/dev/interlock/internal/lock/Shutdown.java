package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.internal.runtime.Timetable;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.ShutdownReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Closes an engine: withdraws waits, releases leases within a budget, and reports the locks that could not be
 * released.
 */
final class Shutdown {
    private final EngineRuntime runtime;
    private final Gates gates;
    private final Holds holds;
    private final Runnable closeParts;
    private final CompletableFuture<ShutdownReport> report = new CompletableFuture<>();

    /**
     * @param closeParts closes store and threads, after the holds were ended
     */
    Shutdown(EngineRuntime runtime, Gates gates, Holds holds, Runnable closeParts) {
        this.runtime = runtime;
        this.gates = gates;
        this.holds = holds;
        this.closeParts = closeParts;
    }

    ShutdownReport run(Duration budget) {
        if (!runtime.markClosed()) {
            return report.join();
        }
        ShutdownReport done = end(budget);
        report.complete(done);
        closeParts.run();
        if (!done.unreleased().isEmpty()) {
            runtime.log().log(
                    System.Logger.Level.WARNING,
                    "Closed without confirmation that these locks were released; they end by their leases: {0}",
                    done.unreleased());
        }
        return done;
    }

    private ShutdownReport end(Duration budget) {
        int withdrawn = 0;
        for (Gate gate : gates.all()) {
            for (Waiter waiter : gate.waiters()) {
                withdrawn += waiter.close() ? 1 : 0;
            }
        }
        // A request between two steps is in no gate, but its patience is in the timetable.
        for (Timetable.Entry entry : runtime.timetable().entries()) {
            withdrawn += entry instanceof Waiter waiter && waiter.close() ? 1 : 0;
        }
        Map<Hold, CompletableFuture<ReleaseResult>> releases = new LinkedHashMap<>();
        for (Hold hold : gates.holds()) {
            if (hold.isLive()) {
                releases.put(hold, holds.endForClosing(hold));
            }
        }
        return awaitReleases(withdrawn, releases, budget);
    }

    private static ShutdownReport awaitReleases(
            int withdrawn, Map<Hold, CompletableFuture<ReleaseResult>> releases, Duration budget) {
        long giveUpAt = System.nanoTime() + budget.toNanos();
        List<LockKey> released = new ArrayList<>();
        List<LockKey> unreleased = new ArrayList<>();
        boolean interrupted = false;
        for (Map.Entry<Hold, CompletableFuture<ReleaseResult>> entry : releases.entrySet()) {
            boolean confirmed = false;
            try {
                ReleaseResult result =
                        entry.getValue().get(Math.max(0, giveUpAt - System.nanoTime()), TimeUnit.NANOSECONDS);
                confirmed = result != ReleaseResult.UNKNOWN;
            } catch (InterruptedException e) {
                interrupted = true;
                giveUpAt = System.nanoTime();
            } catch (TimeoutException | ExecutionException e) {
                confirmed = false;
            }
            (confirmed ? released : unreleased).addAll(entry.getKey().keys());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return new ShutdownReport(withdrawn, released, unreleased);
    }
}
