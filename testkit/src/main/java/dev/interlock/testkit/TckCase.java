package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.spi.Backend;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.Surroundings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * What one case works with: a namespace of its own, processes that use it, threads and time. All of it ends with the case.
 *
 * <p>Used by the case's own thread only, but for {@link #time()}.
 */
final class TckCase {
    /** A time that no case outlives: for leases, waits and heartbeats that are not what the case is about. */
    static final Duration LONG = Duration.ofMinutes(10);

    /** Beyond the store's own resolution, how late a lease may end. */
    private static final Duration SLACK = Duration.ofMillis(30);

    /** Well below the time after which a store forgets a waiter that is merely silent. */
    private static final Duration SOON = Duration.ofMillis(500);

    private final BackendTck kit;
    private final String namespace = "tck-" + UUID.randomUUID();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable TckTime time;
    private @Nullable Backend backend;
    private @Nullable Surroundings surroundings;

    TckCase(BackendTck kit) {
        this.kit = kit;
    }

    /** Reports the case as skipped if the store lacks what it needs. */
    void assume(Needs needs) {
        for (Capability needed : needs.value()) {
            if (!has(needed)) {
                skip("needs " + needed.words() + ", which " + backend().name() + " does not have");
            }
        }
    }

    boolean has(Capability capability) {
        return capability.isIn(capabilities());
    }

    /** The clock of the case; reports it as skipped if real time is used. */
    FakeClock assumeClock() {
        if (time().clock().isEmpty()) {
            skip("needs a clock that can be moved");
        }
        return time().clock().orElseThrow();
    }

    /** Not by assumeTrue: it would put words of its own before the reason. */
    private static void skip(String reason) {
        Assumptions.abort("capability: " + reason);
    }

    BackendTck kit() {
        return kit;
    }

    StoreCapabilities capabilities() {
        return backend().capabilities();
    }

    TckTime time() {
        if (time == null) {
            time = kit.time();
        }
        return time;
    }

    /** A short lease that the store can really keep. */
    Duration lease() {
        Duration least = capabilities().granularity().multipliedBy(3);
        return least.compareTo(time().lease()) > 0 ? least : time().lease();
    }

    /** Lets a lease of this length end. */
    void passLease(Duration length) {
        time().pass(length.plus(capabilities().granularity()).plus(SLACK));
    }

    void until(String fact, BooleanSupplier condition) {
        time().until(fact, condition);
    }

    /** Lets time pass until it holds, and it must hold soon; how soon is only judged where time does not depend on luck. */
    void soon(String fact, BooleanSupplier condition) {
        long start = time().clock().map(FakeClock::nanos).orElse(0L);
        until(fact, condition);
        time().clock()
                .ifPresent(clock -> assertThat(Duration.ofNanos(clock.nanos() - start))
                        .as("how long it took until %s", fact)
                        .isLessThan(SOON));
    }

    /** The outcome of a stage, letting time pass until it is there; throws what it failed with. */
    <T> T outcome(String fact, CompletionStage<T> stage) {
        // A copy: asking a pending lease for its own future is a promise to end it by that.
        CompletableFuture<T> future = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                future.complete(value);
            } else {
                future.completeExceptionally(failure);
            }
        });
        if (!future.isDone()) {
            until(fact, future::isDone);
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    LockKey key(String id) {
        return LockKey.of("tck", id);
    }

    /** Another process, as the store sees it. */
    StoreProcess process() {
        return opened(new StoreProcess(this));
    }

    /** Another Interlock in the namespace of this case. */
    Interlock interlock() {
        return interlock(namespace, builder -> builder);
    }

    Interlock interlock(UnaryOperator<Interlock.Builder> options) {
        return interlock(namespace, options);
    }

    /** An Interlock over the same store in another namespace. */
    Interlock elsewhere() {
        return interlock(namespace + "-other", builder -> builder);
    }

    private Interlock interlock(String where, UnaryOperator<Interlock.Builder> options) {
        Interlock.Builder builder = Interlock.builder(kit.connect(where));
        time().clock().ifPresent(builder::surroundings);
        return opened(options.apply(builder).build());
    }

    /** Runs it on a thread of its own. */
    <T> CompletableFuture<T> thread(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> complete(result, work), "tck-thread");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static <T> void complete(CompletableFuture<T> result, Callable<T> work) {
        try {
            result.complete(work.call());
        } catch (Throwable thrown) {
            result.completeExceptionally(thrown);
        }
    }

    /** Runs it on that many threads at once and waits for all. */
    void threads(int count, Work work) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            running.add(thread(() -> {
                work.run(index);
                return null;
            }));
        }
        until(
                "all threads are done",
                () -> running.stream().allMatch(CompletableFuture::isDone)
                        || running.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
        running.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
    }

    /** One thread's part of the work. */
    interface Work {
        void run(int index) throws Exception;
    }

    Backend backend() {
        if (backend == null) {
            backend = opened(kit.connect(namespace));
        }
        return backend;
    }

    Surroundings surroundings() {
        if (surroundings == null) {
            surroundings =
                    opened(time().clock().<Surroundings>map(clock -> clock).orElseGet(RealSurroundings::new));
        }
        return surroundings;
    }

    private <T extends AutoCloseable> T opened(T thing) {
        opened.push(thing);
        return thing;
    }

    /** Ends everything, the newest first, after a look at what the store thinks is held. */
    void end() throws Exception {
        try {
            if (backend != null && has(Capability.INTROSPECTION)) {
                process().snapshot("").forEach(TckCase::checkHolders);
            }
        } finally {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        }
    }

    /** After every case: whatever is held is held by owners that do not exclude each other. */
    private static void checkHolders(LockSnapshot lock) {
        if (lock.holders().size() > 1) {
            assertThat(lock.holders())
                    .as("holders of \"%s\" after the case", lock.key())
                    .extracting(LockSnapshot.Holder::mode)
                    .doesNotContain(LockMode.EXCLUSIVE)
                    .containsOnly(lock.holders().get(0).mode());
        }
    }
}
