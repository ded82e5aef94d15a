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

/** Both services take the same three locks, each in its own order: nobody waits for ever. */
final class OrderAct implements Tour.Act {
    private static final LockKey SEAT = LockKey.of("seat", "12");
    private static final LockKey VOUCHER = LockKey.of("voucher", "v7");
    private static final LockKey WALLET = LockKey.of("wallet", "ann");
    private static final int TIMES = 200;

    private final Narrator narrator;
    private final Service a;
    private final Service b;

    OrderAct(Narrator narrator, Service a, Service b) {
        this.narrator = narrator;
        this.a = a;
        this.b = b;
    }

    @Override
    public void play() throws InterruptedException {
        narrator.act("Three locks, asked for in opposite orders");
        List<LockKey> forth = List.of(SEAT, VOUCHER, WALLET);
        List<LockKey> back = List.of(WALLET, VOUCHER, SEAT);
        narrator.tell(a.name(), "asks " + TIMES + " times for " + forth);
        narrator.tell(b.name(), "asks " + TIMES + " times for " + back + ", at the same time");
        Queue<List<LockKey>> taken = new ConcurrentLinkedQueue<>();
        long began = System.nanoTime();
        CompletableFuture<Void> partOfA = a.start(() -> takeAll(a, forth, taken));
        CompletableFuture<Void> partOfB = b.start(() -> takeAll(b, back, taken));
        Service.await(partOfA);
        Service.await(partOfB);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        narrator.expect(
                taken.size() == 2 * TIMES, "no deadlock: all " + taken.size() + " done after " + Narrator.show(took));
        Set<List<LockKey>> orders = Set.copyOf(taken);
        narrator.expect(orders.size() == 1, "every time they were taken in one order: " + orders);
        Service.await(a.start(this::oneByOne));
    }

    private static void takeAll(Service service, List<LockKey> keys, Queue<List<LockKey>> taken) {
        for (int i = 0; i < TIMES; i++) {
            try (LeaseSet leases = service.locks().with(keys).acquire()) {
                taken.add(leases.keys());
            }
        }
    }

    /** What sorting cannot help with is refused. */
    @SuppressWarnings("InterlockLockOrder") // it shows what happens
    private void oneByOne() {
        try (Lease wallet = a.locks().acquire(WALLET)) {
            narrator.tell(a.name(), "holds " + wallet.key() + " and now wants " + SEAT + ", against the order");
            long asked = System.nanoTime();
            try (Lease seat = a.locks().acquire(SEAT)) {
                narrator.expect(false, seat.key() + " is refused, because waiting for it could deadlock");
            } catch (LockOrderException e) {
                Duration after = Duration.ofNanos(System.nanoTime() - asked);
                narrator.expect(true, "refused after " + Narrator.show(after) + ", before anybody waits:");
                narrator.quote(String.valueOf(e.getMessage()));
            }
        }
    }
}
