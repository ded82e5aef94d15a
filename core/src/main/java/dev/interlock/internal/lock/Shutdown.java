package dev.interlock.internal.lock;

import dev.interlock.internal.time.Timetable;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
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

/** Ends an engine: waits are withdrawn, leases released within a budget, and what could not be released is reported. */
final class Shutdown {
    private final Engine engine;
    private final CompletableFuture<ShutdownReport> report = new CompletableFuture<>();

    Shutdown(Engine engine) {
        this.engine = engine;
    }

    ShutdownReport run(Duration budget) {
        if (!engine.markClosed()) {
            return report.join();
        }
        ShutdownReport done = end(budget);
        report.complete(done);
        engine.closeParts();
        if (!done.unreleased().isEmpty()) {
            engine.log().log(
                    System.Logger.Level.WARNING,
                    "Closed without confirmation that these locks were released; they end by their leases: {0}",
                    done.unreleased());
        }
        return done;
    }

    private ShutdownReport end(Duration budget) {
        int withdrawn = 0;
        for (Gate gate : engine.gates().all()) {
            for (Waiter waiter : gate.waiters()) {
                withdrawn += waiter.close() ? 1 : 0;
            }
        }
        // Those that are between two steps stand in no gate, but their patience is in the timetable.
        for (Timetable.Entry entry : engine.timetable().entries()) {
            withdrawn += entry instanceof Waiter waiter && waiter.close() ? 1 : 0;
        }
        Map<Hold, CompletableFuture<ReleaseResult>> releases = new LinkedHashMap<>();
        for (Hold hold : engine.gates().holds()) {
            if (hold.isLive()) {
                releases.put(hold, end(hold));
            }
        }
        return sortOut(withdrawn, releases, budget);
    }

    /**
     * Ends one hold and tells all who have a lease on it. Not only a lease that the caller knows of: the hold may have been passed on since
     * then, to one that nobody else would tell.
     */
    CompletableFuture<ReleaseResult> end(Hold hold) {
        // Before it ends: a lease that is just being delivered asks for the reason.
        hold.noteLoss(LossReason.CLOSED);
        if (!hold.release()) {
            return CompletableFuture.completedFuture(ReleaseResult.ALREADY_ENDED);
        }
        // Asked only now: a lease that comes later sees by itself that the hold is over.
        List<LeaseRef> leases = hold.leases();
        CompletableFuture<ReleaseResult> released = engine.releases().ofEnded(hold);
        leases.forEach(ref -> tell(ref, hold));
        engine.events().lost(hold, LossReason.CLOSED);
        return released;
    }

    /** The holder may still be at work: it must hear that the lock is gone. */
    private static void tell(LeaseRef ref, Hold hold) {
        HeldRight lease = ref.get();
        if (lease != null) {
            lease.lost(LossReason.CLOSED);
        }
        if (ref.scope != null) {
            ref.scope.remove(hold);
        }
    }

    private static ShutdownReport sortOut(
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
