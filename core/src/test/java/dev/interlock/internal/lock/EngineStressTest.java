package dev.interlock.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.internal.runtime.SystemEnvironment;
import dev.interlock.lock.AlreadyHeldException;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Holding;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.OrderPolicy;
import dev.interlock.lock.PendingLease;
import dev.interlock.memory.InMemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real threads use two engines in all ways at once: exclusive, shared, several keys, short patience, cancel,
 * interrupt, release by another thread. Plain fields check exclusion and that tokens grow in the order of holding.
 * Afterwards the engines hold nothing.
 */
@Tag("slow")
class EngineStressTest {
    private static final int THREADS = 12;
    private static final int KEYS = 4;

    private final InMemoryBackend backend = InMemoryBackend.create();
    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicLong held = new AtomicLong();
    private final Room[] rooms = new Room[KEYS];
    private final AtomicBoolean stop = new AtomicBoolean();

    /** The resource that one key protects. */
    private static final class Room {
        final AtomicInteger exclusive = new AtomicInteger();
        final AtomicInteger shared = new AtomicInteger();
        volatile long newestToken;
    }

    private Engine engine(boolean strict) {
        EngineSettings settings = EngineSettings.standard()
                .withStrictFifo(strict)
                .withOrderPolicy(OrderPolicy.ALLOW)
                .withBackendKeptOpen(true);
        SystemEnvironment environment = new SystemEnvironment();
        return Engine.open(backend, settings, environment, environment::close);
    }

    @ParameterizedTest(name = "strict FIFO: {0}")
    @ValueSource(booleans = {false, true})
    void holdersExcludeEachOtherAndNothingIsLeft(boolean strict) throws InterruptedException {
        for (int i = 0; i < KEYS; i++) {
            rooms[i] = new Room();
        }
        List<Engine> engines = List.of(engine(strict), engine(strict));
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            Engine own = engines.get(t % 2);
            SplittableRandom random = new SplittableRandom(t);
            Thread thread = new Thread(() -> work(own, random), "stress-" + t);
            threads.add(thread);
            thread.start();
        }
        disturb(threads, Boolean.getBoolean("interlock.soak") ? 60_000 : 3_000);
        stop.set(true);
        for (Thread thread : threads) {
            thread.join(20_000);
            assertThat(thread.isAlive()).as(thread.getName() + " has ended").isFalse();
        }
        assertThat(violations).isEmpty();
        assertThat(held.get()).isGreaterThan(1_000);
        for (Engine engine : engines) {
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> engine.gates().all().isEmpty());
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() ->
                            assertThat(engine.runtime().timetable().entries()).isEmpty());
            assertThat(engine.shutdown(Duration.ofSeconds(5)).unreleased()).isEmpty();
        }
    }

    /** Interrupts random threads from time to time. */
    private static void disturb(List<Thread> threads, long millis) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(99);
        CountDownLatch never = new CountDownLatch(1);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < end) {
            never.await(random.nextInt(5), TimeUnit.MILLISECONDS);
            threads.get(random.nextInt(threads.size())).interrupt();
        }
    }

    private void work(Engine engine, SplittableRandom random) {
        while (!stop.get()) {
            try {
                step(engine, random);
            } catch (LockTimeoutException | LockInterruptedException | CancellationException expected) {
                Thread.interrupted();
            } catch (AlreadyHeldException e) {
                violations.add("held by its own scope after close: " + e.getMessage());
            } catch (RuntimeException e) {
                violations.add("unexpected: " + e);
            }
        }
    }

    private void step(Engine engine, SplittableRandom random) {
        int first = random.nextInt(KEYS);
        boolean shared = random.nextInt(4) == 0;
        if (random.nextInt(4) == 0) {
            int second = random.nextInt(KEYS);
            LockRequest<LeaseSet> request = engine.locks().with(List.of(key(second), key(first)));
            LeaseSet set = ask(shared ? request.shared() : request, random);
            if (set != null) {
                List<Integer> indexes = first == second ? List.of(first) : List.of(first, second);
                visit(indexes, shared, set, index -> set.token(key(index)));
            }
        } else {
            LockRequest<Lease> request = engine.locks().with(key(first));
            Lease lease = ask(shared ? request.shared() : request, random);
            if (lease != null) {
                visit(List.of(first), shared, lease, index -> lease.token());
            }
        }
    }

    private static <H extends Holding> H ask(LockRequest<H> plain, SplittableRandom random) {
        LockRequest<H> request =
                plain.waitAtMost(Duration.ofNanos(random.nextInt(4) == 0 ? random.nextInt(200_000) : 2_000_000_000));
        return switch (random.nextInt(4)) {
            case 0 -> request.tryAcquire().orElse(null);
            case 1 -> {
                PendingLease<H> pending = request.acquireAsync();
                if (random.nextInt(3) == 0 && pending.cancel()) {
                    yield null;
                }
                try {
                    yield pending.toCompletableFuture().join();
                } catch (CompletionException e) {
                    throw (RuntimeException) e.getCause();
                }
            }
            default -> request.acquire();
        };
    }

    private interface TokenOf {
        FencingToken of(int index);
    }

    private void visit(List<Integer> indexes, boolean shared, Holding holding, TokenOf tokens) {
        held.incrementAndGet();
        for (int index : indexes) {
            enter(rooms[index], shared, tokens.of(index));
        }
        for (int index : indexes) {
            leave(rooms[index], shared);
        }
        holding.close();
    }

    private void enter(Room room, boolean shared, FencingToken token) {
        if (shared) {
            room.shared.incrementAndGet();
            if (room.exclusive.get() != 0) {
                violations.add("a reader met a writer");
            }
            return;
        }
        if (room.exclusive.incrementAndGet() != 1 || room.shared.get() != 0) {
            violations.add("a writer was not alone");
        }
        if (token.value() <= room.newestToken) {
            violations.add("token " + token + " after " + room.newestToken);
        }
        room.newestToken = token.value();
    }

    private static void leave(Room room, boolean shared) {
        (shared ? room.shared : room.exclusive).decrementAndGet();
    }

    private static LockKey key(int index) {
        return LockKey.of("room", Integer.toString(index));
    }
}
