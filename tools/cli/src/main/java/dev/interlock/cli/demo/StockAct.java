package dev.interlock.cli.demo;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

/** Both services sell from one stock: without the lock a sale is lost, with it none is. */
final class StockAct implements Tour.Act {
    private static final LockKey KEY = LockKey.of("stock", "lamp");
    private static final int THREADS_EACH = 8;
    private static final int SALES_EACH = 25;

    private final Narrator narrator;
    private final Service a;
    private final Service b;

    /** The number in the database that both read and write; has no protection of its own. */
    private volatile int stock;

    StockAct(Narrator narrator, Service a, Service b) {
        this.narrator = narrator;
        this.a = a;
        this.b = b;
    }

    @Override
    public void play() throws InterruptedException {
        narrator.act("Two services sell from one stock");
        withoutLock();
        withLock();
        crowd();
    }

    private void withoutLock() throws InterruptedException {
        stock = 10;
        narrator.tell("stock", "10 lamps, and no lock yet");
        // Unlucky timing, made certain: each has read before the other writes.
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        both(service -> {
            int seen = stock;
            narrator.tell(service.name(), "reads " + seen);
            bothHaveRead.await(10, TimeUnit.SECONDS);
            stock = seen - 1;
            narrator.tell(service.name(), "sells one, writes " + (seen - 1));
        });
        int fell = 10 - stock;
        narrator.expect(fell < 2, "2 sold, yet the stock fell by " + fell + ": a lost update");
    }

    private void withLock() throws InterruptedException {
        stock = 10;
        narrator.tell("stock", "10 lamps again, now each sale holds the lock \"" + KEY + "\"");
        List<FencingToken> tokens = new ArrayList<>();
        both(service -> {
            long asked = System.nanoTime();
            try (Lease lease = service.locks().acquire(KEY)) {
                Duration waited = Duration.ofNanos(System.nanoTime() - asked);
                tokens.add(lease.token());
                int seen = stock;
                narrator.note(
                        service.name(),
                        "has the lock after " + Narrator.show(waited) + ", token " + lease.token() + "; reads " + seen);
                Narrator.pause(narrator.pace().work());
                stock = seen - 1;
                narrator.note(service.name(), "sells one, writes " + (seen - 1) + ", releases");
            }
        });
        narrator.expect(stock == 8, "2 sold, and the stock fell by " + (10 - stock));
        FencingToken first = tokens.get(0);
        FencingToken second = tokens.get(1);
        narrator.expect(
                second.isNewerThan(first),
                "the second holder's token is larger: " + second + " > " + first + " (grants " + second.grant()
                        + " and " + first.grant() + " of the store)");
    }

    private void crowd() throws InterruptedException {
        int sales = 2 * THREADS_EACH * SALES_EACH;
        stock = sales;
        long began = System.nanoTime();
        both(service -> {
            List<CompletableFuture<Void>> sellers = new ArrayList<>();
            for (int i = 0; i < THREADS_EACH; i++) {
                sellers.add(service.start(() -> sell(service)));
            }
            for (CompletableFuture<Void> seller : sellers) {
                Service.await(seller);
            }
        });
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        narrator.expect(
                stock == 0,
                sales + " sales by " + 2 * THREADS_EACH + " threads of both services took " + Narrator.show(took)
                        + " and left " + stock + " of " + sales + " lamps");
    }

    private void sell(Service service) {
        for (int i = 0; i < SALES_EACH; i++) {
            service.locks().run(KEY, lease -> {
                int seen = stock;
                Thread.onSpinWait();
                stock = seen - 1;
            });
        }
    }

    /** What each of the two services does. */
    @FunctionalInterface
    private interface Part {
        void play(Service service) throws Exception;
    }

    private void both(Part part) throws InterruptedException {
        CompletableFuture<Void> partOfA = a.start(() -> part.play(a));
        CompletableFuture<Void> partOfB = b.start(() -> part.play(b));
        Service.await(partOfA);
        Service.await(partOfB);
    }
}
