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

/** Both services sell from one stock. Without the lock one sale is lost; with the lock none is. */
final class StockAct implements DemoTour.Act {
    private static final LockKey KEY = LockKey.of("stock", "lamp");
    private static final int THREADS_EACH = 8;
    private static final int SALES_EACH = 25;

    private final Narrator narrator;
    private final DemoService a;
    private final DemoService b;

    /** The stock in the database. Nothing but the lock protects it. */
    private volatile int stock;

    StockAct(Narrator narrator, DemoService a, DemoService b) {
        this.narrator = narrator;
        this.a = a;
        this.b = b;
    }

    @Override
    public void play() throws InterruptedException {
        narrator.act("Two services sell from one stock");
        withoutLock();
        withLock();
        manyThreads();
    }

    private void withoutLock() throws InterruptedException {
        stock = 10;
        narrator.report("stock", "10 lamps, no lock");
        // Forces the unlucky timing: each service reads before the other one writes.
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        both(service -> {
            int seen = stock;
            narrator.report(service.name(), "reads " + seen);
            bothHaveRead.await(10, TimeUnit.SECONDS);
            stock = seen - 1;
            narrator.report(service.name(), "sells one, writes " + (seen - 1));
        });
        int fell = 10 - stock;
        narrator.check(fell < 2, "2 lamps sold, but the stock fell by " + fell + ": a lost update");
    }

    private void withLock() throws InterruptedException {
        stock = 10;
        narrator.report("stock", "10 lamps again; each sale now holds the lock \"" + KEY + "\"");
        List<FencingToken> tokens = new ArrayList<>();
        both(service -> {
            long asked = System.nanoTime();
            try (Lease lease = service.locks().acquire(KEY)) {
                Duration waited = Duration.ofNanos(System.nanoTime() - asked);
                tokens.add(lease.token());
                int seen = stock;
                narrator.reportWithoutPause(
                        service.name(),
                        "has the lock after " + Narrator.show(waited) + ", token " + lease.token() + "; reads " + seen);
                Narrator.pause(narrator.pace().work());
                stock = seen - 1;
                narrator.reportWithoutPause(service.name(), "sells one, writes " + (seen - 1) + ", releases");
            }
        });
        narrator.check(stock == 8, "2 lamps sold, and the stock fell by " + (10 - stock));
        FencingToken first = tokens.get(0);
        FencingToken second = tokens.get(1);
        narrator.check(
                second.isNewerThan(first),
                "the second holder's token is larger: " + second + " > " + first + " (grants " + second.grant()
                        + " and " + first.grant() + " of the store)");
    }

    private void manyThreads() throws InterruptedException {
        int sales = 2 * THREADS_EACH * SALES_EACH;
        stock = sales;
        long began = System.nanoTime();
        both(service -> {
            List<CompletableFuture<Void>> sellers = new ArrayList<>();
            for (int i = 0; i < THREADS_EACH; i++) {
                sellers.add(service.start(() -> sell(service)));
            }
            for (CompletableFuture<Void> seller : sellers) {
                DemoService.await(seller);
            }
        });
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        narrator.check(
                stock == 0,
                sales + " sales by " + 2 * THREADS_EACH + " threads of both services took " + Narrator.show(took)
                        + " and left " + stock + " of " + sales + " lamps");
    }

    private void sell(DemoService service) {
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
        void play(DemoService service) throws Exception;
    }

    private void both(Part part) throws InterruptedException {
        CompletableFuture<Void> partOfA = a.start(() -> part.play(a));
        CompletableFuture<Void> partOfB = b.start(() -> part.play(b));
        DemoService.await(partOfA);
        DemoService.await(partOfB);
    }
}
