package dev.interlock.cli.demo;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrderException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Both services acquire the same three locks in opposite orders, without a deadlock. */
final class OrderAct implements DemoTour.Act {
    private static final LockKey SEAT = LockKey.of("seat", "12");
    private static final LockKey VOUCHER = LockKey.of("voucher", "v7");
    private static final LockKey WALLET = LockKey.of("wallet", "ann");
    private static final int TIMES = 200;

    private final Narrator narrator;
    private final DemoService a;
    private final DemoService b;

    OrderAct(Narrator narrator, DemoService a, DemoService b) {
        this.narrator = narrator;
        this.a = a;
        this.b = b;
    }

    @Override
    public void play() throws InterruptedException {
        narrator.act("Three locks, requested in opposite orders");
        List<LockKey> forth = List.of(SEAT, VOUCHER, WALLET);
        List<LockKey> back = List.of(WALLET, VOUCHER, SEAT);
        narrator.report(a.name(), "requests " + forth + ", " + TIMES + " times");
        narrator.report(b.name(), "requests " + back + ", " + TIMES + " times, at the same time");
        Queue<List<LockKey>> taken = new ConcurrentLinkedQueue<>();
        long began = System.nanoTime();
        CompletableFuture<Void> partOfA = a.start(() -> takeAll(a, forth, taken));
        CompletableFuture<Void> partOfB = b.start(() -> takeAll(b, back, taken));
        DemoService.await(partOfA);
        DemoService.await(partOfB);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        narrator.check(
                taken.size() == 2 * TIMES,
                "no deadlock: all " + taken.size() + " requests done after " + Narrator.show(took));
        Set<List<LockKey>> orders = Set.copyOf(taken);
        narrator.check(orders.size() == 1, "the locks were always acquired in one order: " + orders);
        DemoService.await(a.start(this::acquireAgainstTheOrder));
    }

    private static void takeAll(DemoService service, List<LockKey> keys, Queue<List<LockKey>> taken) {
        for (int i = 0; i < TIMES; i++) {
            try (LeaseSet leases = service.locks().with(keys).acquire()) {
                taken.add(leases.keys());
            }
        }
    }

    /** Locks acquired one by one cannot be sorted, so a request against the order is refused. */
    @SuppressWarnings("InterlockLockOrder") // provokes the refusal on purpose
    private void acquireAgainstTheOrder() {
        try (Lease wallet = a.locks().acquire(WALLET)) {
            narrator.report(a.name(), "holds " + wallet.key() + " and requests " + SEAT + ", against the lock order");
            long asked = System.nanoTime();
            try (Lease seat = a.locks().acquire(SEAT)) {
                narrator.check(false, seat.key() + " should be refused, because waiting for it could deadlock");
            } catch (LockOrderException e) {
                Duration after = Duration.ofNanos(System.nanoTime() - asked);
                narrator.check(true, "refused after " + Narrator.show(after) + ", without waiting:");
                narrator.quote(String.valueOf(e.getMessage()));
            }
        }
    }
}
