package dev.interlock.cli.demo;

import dev.interlock.lock.FenceGuard;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.StaleTokenException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A holder pauses until its lease has expired, then writes.
 *
 * <pre>
 *   shop-a   |== lease ==|............ paused ............| writes 150 with its old token
 *   shop-b      waits ....|== larger token: reads 100, writes 70 ==|
 * </pre>
 */
final class PauseAct implements DemoTour.Act {
    private static final LockKey KEY = LockKey.of("account", "ann");
    private static final int BEFORE = 100;
    private static final int DEPOSIT = 50;
    private static final int WITHDRAWAL = 30;

    private final Narrator narrator;
    private final DemoService a;
    private final DemoService b;
    private final FenceGuard fence = new FenceGuard();

    /** The same account twice: this one accepts every write, the other one checks the fence first. */
    private volatile int unguarded = BEFORE;

    private volatile int guarded = BEFORE;

    PauseAct(Narrator narrator, DemoService a, DemoService b) {
        this.narrator = narrator;
        this.a = a;
        this.b = b;
    }

    @Override
    public void play() throws InterruptedException {
        narrator.act("A holder pauses and its lease expires");
        CompletableFuture<Held> held = new CompletableFuture<>();
        CompletableFuture<Void> pause = new CompletableFuture<>();
        CompletableFuture<Void> sleeper = a.start(() -> {
            Held mine = hold();
            held.complete(mine);
            DemoService.await(pause);
            writeLate(mine.lease());
        });
        sleeper.exceptionally(failure -> {
            held.completeExceptionally(failure);
            return null;
        });
        takeOver(DemoService.await(held));
        narrator.act("The old holder wakes up and writes: fencing");
        pause.complete(null);
        DemoService.await(sleeper);
        writeWithNewLease();
    }

    /** A lease, and when its loss was reported. */
    private record Held(
            Lease lease,
            long sinceNanos,
            CompletableFuture<LossReason> notified,
            CompletableFuture<Duration> notifiedAfter) {}

    private Held hold() {
        Duration length = narrator.pace().lease();
        // Read before the request is sent, because the lease counts from then.
        long asked = System.nanoTime();
        Lease lease = a.locks().with(KEY).leaseFor(length).renew(false).acquire();
        Held held = new Held(lease, asked, new CompletableFuture<>(), new CompletableFuture<>());
        lease.onLost(reason -> {
            held.notifiedAfter().complete(since(held.sinceNanos()));
            narrator.reportWithoutPause(a.name(), "is notified: the lease is lost, " + reason.sentence());
            held.notified().complete(reason);
        });
        fence.raise(lease);
        narrator.report(
                a.name(),
                "has " + KEY + " for a fixed " + Narrator.show(length) + ", token " + lease.token() + "; reads "
                        + guarded);
        narrator.reportWithoutPause(a.name(), "pauses before it writes and checks nothing");
        return held;
    }

    private void takeOver(Held held) throws InterruptedException {
        CompletableFuture<Lease> waiting = b.locks().acquireAsync(KEY).toCompletableFuture();
        narrator.reportWithoutPause(b.name(), "requests the same lock and waits");
        Lease taken = DemoService.await(waiting);
        boolean overlap = held.lease().isHeld();
        narrator.reportWithoutPause(
                b.name(),
                "has it, " + Narrator.show(since(held.sinceNanos())) + " after " + a.name() + " requested it");
        LossReason reason = DemoService.await(held.notified());
        narrator.check(
                reason == LossReason.EXPIRED,
                a.name() + " was notified after " + Narrator.show(DemoService.await(held.notifiedAfter())) + ": "
                        + reason);
        narrator.check(!overlap, a.name() + " was no longer the holder when " + b.name() + " became one");
        narrator.check(
                taken.token().isNewerThan(held.lease().token()),
                "the new token is larger: " + taken.token() + " > "
                        + held.lease().token());
        withdraw(taken);
    }

    private void withdraw(Lease lease) {
        try (lease) {
            // Raise the fence, then read, then write. In this order no late write of the previous holder can come
            // between.
            fence.raise(lease);
            int balance = guarded - WITHDRAWAL;
            unguarded = balance;
            fence.run(lease, () -> guarded = balance);
            narrator.report(b.name(), "takes out " + WITHDRAWAL + ", writes " + balance + ", releases");
        }
    }

    private void writeLate(Lease stale) {
        int late = BEFORE + DEPOSIT;
        int right = BEFORE - WITHDRAWAL + DEPOSIT;
        narrator.report(a.name(), "wakes up, adds " + DEPOSIT + " to the value it read, and writes " + late);
        unguarded = late;
        narrator.check(
                unguarded != right,
                "an account without a fence accepts it: " + unguarded + " instead of " + right
                        + "; the withdrawal is lost");
        try {
            fence.run(stale, () -> guarded = late);
            narrator.check(false, "the fence should reject token " + stale.token());
        } catch (StaleTokenException e) {
            narrator.check(
                    guarded == BEFORE - WITHDRAWAL,
                    "the fence rejected token " + e.refused() + " because it has seen " + e.newest()
                            + "; the balance is still " + guarded);
        }
        // The lease is already over. Releasing it here keeps close() from logging a second report of the loss.
        narrator.reportWithoutPause(a.name(), "releases the lease that it already lost: " + stale.release());
    }

    private void writeWithNewLease() {
        try (Lease lease = a.locks().acquire(KEY)) {
            fence.raise(lease);
            int balance = guarded + DEPOSIT;
            fence.run(lease, () -> guarded = balance);
            narrator.report(a.name(), "acquires again, token " + lease.token() + ", reads, writes " + balance);
        }
        int right = BEFORE - WITHDRAWAL + DEPOSIT;
        narrator.check(
                guarded == right, BEFORE + " - " + WITHDRAWAL + " + " + DEPOSIT + " = " + guarded + ": nothing lost");
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
