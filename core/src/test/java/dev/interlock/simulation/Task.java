package dev.interlock.simulation;

import dev.interlock.lock.Holding;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/**
 * One unit of work of a simulated process: acquires random locks in random ways, holds them for a while, writes, and
 * releases them. Sometimes it cancels while it waits.
 */
final class Task {
    private static final long MILLI = 1_000_000;

    private final World world;
    private final SimulatedProcess process;
    private final Locks locks;
    private final Checks checks;
    private final Faults faults;
    private final Duration lease;
    private final List<LockKey> keys;
    private int left;
    int unsettled;

    Task(
            World world,
            SimulatedProcess process,
            Locks locks,
            Checks checks,
            Faults faults,
            Duration lease,
            List<LockKey> keys,
            int rounds) {
        this.world = world;
        this.process = process;
        this.locks = locks;
        this.checks = checks;
        this.faults = faults;
        this.lease = lease;
        this.keys = keys;
        this.left = rounds;
    }

    void start() {
        process.in(world.between(0, 50 * MILLI), this::ask);
    }

    /** No further rounds. */
    void stop() {
        left = 0;
    }

    private void ask() {
        if (left-- <= 0) {
            return;
        }
        if (world.chance(0.3)) {
            askForSeveral();
        } else {
            askForOne(keys.get(world.random.nextInt(keys.size())));
        }
    }

    private void askForOne(LockKey key) {
        int kind = world.random.nextInt(10);
        int permits = kind == 9 ? (int) world.between(1, 2) : 1;
        LockRequest<Lease> request = locks.with(key);
        // The mode is random, so one key may be used in all modes in one run.
        if (kind == 8) {
            request = request.shared();
        } else if (kind == 9) {
            request = request.permits(permits, 3);
        }
        boolean renewing = world.chance(0.7);
        PendingLease<Lease> pending = settings(request, renewing).acquireAsync();
        await(pending, held -> List.of(new Checks.Tracked(process, held, permits, 3, renewing)));
    }

    private void askForSeveral() {
        List<LockKey> some = new ArrayList<>();
        for (int i = 0; i < world.between(2, 4); i++) {
            some.add(keys.get(world.random.nextInt(keys.size())));
        }
        LockRequest<LeaseSet> request = locks.with(some);
        if (world.chance(0.2)) {
            request = request.shared();
        }
        boolean renewing = world.chance(0.7);
        PendingLease<LeaseSet> pending = settings(request, renewing).acquireAsync();
        await(
                pending,
                held -> held.keys().stream()
                        .map(key -> new Checks.Tracked(process, held.of(key), 1, 3, renewing))
                        .toList());
    }

    private <H extends Holding> LockRequest<H> settings(LockRequest<H> request, boolean renewing) {
        long patience = faults.isCalm() ? 600_000 : world.chance(0.15) ? 0 : world.between(5, 4000);
        return request.leaseFor(lease).renew(renewing).waitAtMost(Duration.ofMillis(patience));
    }

    private interface Tracking<H> {
        List<Checks.Tracked> of(H held);
    }

    private <H extends Holding> void await(PendingLease<H> pending, Tracking<H> tracking) {
        unsettled++;
        pending.whenComplete((held, error) -> {
            unsettled--;
            if (held != null) {
                hold(held, tracking.of(held));
            } else {
                refused(error);
            }
        });
        if (!faults.isCalm() && world.chance(0.1)) {
            process.in(world.between(0, 300 * MILLI), pending::cancel);
        }
    }

    private void refused(Throwable error) {
        checks.refusals++;
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        if (faults.isCalm()) {
            world.violated("no request with enough patience is refused without faults", process.name + ": " + cause);
        }
        if (cause instanceof LockTimeoutException == false && cause.getMessage() == null) {
            world.violated("a refusal has a reason", cause.toString());
        }
        process.in(world.between(0, 100 * MILLI), this::ask);
    }

    private void hold(Holding held, List<Checks.Tracked> leases) {
        leases.forEach(checks::delivered);
        if (!process.isDead()) {
            checks.write(leases.get(0));
            process.in(holdNanos() / 2, () -> leases.forEach(checks::write));
            process.in(holdNanos(), () -> release(held, leases));
        }
    }

    private long holdNanos() {
        // Usually short, sometimes longer than the lease.
        return world.chance(0.85)
                ? world.between(0, 30 * MILLI)
                : world.between(0, Math.min(lease.toNanos(), 4000 * MILLI) * 3 / 2);
    }

    private void release(Holding held, List<Checks.Tracked> leases) {
        leases.forEach(checks::closed);
        held.releaseAsync().thenAccept(result -> leases.forEach(lease -> checks.released(lease, result)));
        process.in(world.between(0, 40 * MILLI), this::ask);
    }
}
