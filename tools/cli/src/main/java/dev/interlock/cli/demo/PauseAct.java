package dev.interlock.cli.demo;

import dev.interlock.lock.FenceGuard;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.StaleTokenException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A holder pauses past the end of its lease, and writes when it wakes up.
 *
 * <pre>
 *   shop-a   |== lease ==|............ paused ............| writes 150 with its old token
 *   shop-b      waits ....|== larger token: reads 100, writes 70 ==|
 * </pre>
 */
final class PauseAct implements Tour.Act {
    private static final LockKey KEY = LockKey.of("account", "ann");
    private static final int BEFORE = 100;
    private static final int DEPOSIT = 50;
    private static final int WITHDRAWAL = 30;

    private final Narrator narrator;
    private final Service a;
    private final Service b;
    private final FenceGuard fence = new FenceGuard();

    /** The same account twice: one takes every write, the other asks the fence first. */
    private volatile int unguarded = BEFORE;

    private volatile int guarded = BEFORE;

    PauseAct(Narrator narrator, Service a, Service b) {
        this.narrator = narrator;
        this.a = a;
        this.b = b;
    }

    @Override
    public void play() throws InterruptedException {
        narrator.act("A holder pauses, and its lease ends");
        CompletableFuture<Held> held = new CompletableFuture<>();
        CompletableFuture<Void> pause = new CompletableFuture<>();
        CompletableFuture<Void> sleeper = a.start(() -> {
            Held mine = hold();
            held.complete(mine);
            Service.await(pause);
            writeLate(mine.lease());
        });
        sleeper.exceptionally(failure -> {
            held.completeExceptionally(failure);
            return null;
        });
        takeOver(Service.await(held));
        narrator.act("It wakes up and writes: fencing");
        pause.complete(null);
        Service.await(sleeper);
        doItRight();
    }

    /** A lease, and how its loss is told. */
    private record Held(
            Lease lease, long sinceNanos, CompletableFuture<LossReason> told, CompletableFuture<Duration> toldAfter) {}

    private Held hold() {
        Duration length = narrator.pace().lease();
        // From before the request left: that is when the lease begins to count.
        long asked = System.nanoTime();
        Lease lease = a.locks().with(KEY).leaseFor(length).renew(false).acquire();
        Held held = new Held(lease, asked, new CompletableFuture<>(), new CompletableFuture<>());
        lease.onLost(reason -> {
            held.toldAfter().complete(since(held.sinceNanos()));
            narrator.note(a.name(), "is told: the lease is lost, " + reason.sentence());
            held.told().complete(reason);
        });
        fence.raise(lease);
        narrator.tell(
                a.name(),
                "has " + KEY + " for a fixed " + Narrator.show(length) + ", token " + lease.token() + "; reads "
                        + guarded);
        narrator.note(a.name(), "pauses before it writes; its thread looks at nothing");
        return held;
    }

    private void takeOver(Held held) throws InterruptedException {
        CompletableFuture<Lease> waiting = b.locks().acquireAsync(KEY).toCompletableFuture();
        narrator.note(b.name(), "asks for the same lock and waits");
        Lease taken = Service.await(waiting);
        boolean overlap = held.lease().isHeld();
        narrator.note(b.name(), "has it, " + Narrator.show(since(held.sinceNanos())) + " after " + a.name() + " asked");
        LossReason reason = Service.await(held.told());
        narrator.expect(
                reason == LossReason.EXPIRED,
                a.name() + " was told after " + Narrator.show(Service.await(held.toldAfter())) + ": " + reason);
        narrator.expect(!overlap, a.name() + " no longer counted as holder when " + b.name() + " became one");
        narrator.expect(
                taken.token().isNewerThan(held.lease().token()),
                "the new token is larger: " + taken.token() + " > "
                        + held.lease().token());
        withdraw(taken);
    }

    private void withdraw(Lease lease) {
        try (lease) {
            // Raise, read, write: in this order a late write of the predecessor cannot come in between.
            fence.raise(lease);
            int balance = guarded - WITHDRAWAL;
            unguarded = balance;
            fence.run(lease, () -> guarded = balance);
            narrator.tell(b.name(), "takes out " + WITHDRAWAL + ", writes " + balance + ", releases");
        }
    }

    private void writeLate(Lease stale) {
        int late = BEFORE + DEPOSIT;
        int right = BEFORE - WITHDRAWAL + DEPOSIT;
        narrator.tell(a.name(), "wakes up, adds " + DEPOSIT + " to what it read, and writes " + late);
        unguarded = late;
        narrator.expect(
                unguarded != right,
                "an account without a fence took it: " + unguarded + ", right is " + right + "; a withdrawal is gone");
        try {
            fence.run(stale, () -> guarded = late);
            narrator.expect(false, "the fence refuses token " + stale.token());
        } catch (StaleTokenException e) {
            narrator.expect(
                    guarded == BEFORE - WITHDRAWAL,
                    "the fence refused token " + e.refused() + ", it has seen " + e.newest() + "; the balance stays "
                            + guarded);
        }
        // Ends what is over already; its close would tell the log what the tour has told.
        narrator.note(a.name(), "releases what it thinks it holds: " + stale.release());
    }

    private void doItRight() {
        try (Lease lease = a.locks().acquire(KEY)) {
            fence.raise(lease);
            int balance = guarded + DEPOSIT;
            fence.run(lease, () -> guarded = balance);
            narrator.tell(a.name(), "acquires again, token " + lease.token() + ", reads, writes " + balance);
        }
        int right = BEFORE - WITHDRAWAL + DEPOSIT;
        narrator.expect(
                guarded == right, BEFORE + " - " + WITHDRAWAL + " + " + DEPOSIT + " = " + guarded + ": nothing lost");
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }
}
