package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Environment;
import dev.interlock.spi.StoreCapabilities;
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
 * The fixture of one case: its own namespace, the processes that use it, threads and time. {@link #end()} closes
 * everything.
 *
 * <p>Only {@link #time()} may be called from threads other than the case's own.
 */
final class TckCase {
    /** Longer than any case runs. For leases, waits and heartbeats that must not end during the case. */
    static final Duration LONG = Duration.ofMinutes(10);

    /** How late a lease may end, in addition to the granularity of the store. */
    private static final Duration SLACK = Duration.ofMillis(30);

    /** Well below the time after which a store removes a waiter that sends no heartbeats. */
    private static final Duration SOON = Duration.ofMillis(500);

    private final BackendTck kit;
    private final String namespace = "tck-" + UUID.randomUUID();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable TckTime time;
    private @Nullable Backend backend;
    private @Nullable Environment environment;

    TckCase(BackendTck kit) {
        this.kit = kit;
    }

    /** Skips the case if the store lacks a required capability. */
    void assumeSupported(Requires requires) {
        for (Capability needed : requires.value()) {
            if (!has(needed)) {
                skip("requires " + needed.description() + ", which " + backend().name() + " does not have");
            }
        }
    }

    boolean has(Capability capability) {
        return capability.isIn(capabilities());
    }

    /** Returns the clock of the case, or skips the case if it runs in real time. */
    FakeClock assumeClock() {
        if (time().clock().isEmpty()) {
            skip("requires a clock that the test can move");
        }
        return time().clock().orElseThrow();
    }

    /** Skips the case. {@code assumeTrue} would put its own text before the reason. */
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

    /** Returns a short lease that is not below the resolution of the store. */
    Duration lease() {
        Duration least = capabilities().granularity().multipliedBy(3);
        return least.compareTo(time().lease()) > 0 ? least : time().lease();
    }

    /** Waits until a lease of this length has ended. */
    void passLease(Duration length) {
        time().pass(length.plus(capabilities().granularity()).plus(SLACK));
    }

    void until(String fact, BooleanSupplier condition) {
        time().until(fact, condition);
    }

    /**
     * Waits until the condition holds. On a fake clock, also asserts that it held soon. Real time depends too much on
     * the load of the machine for such an assertion.
     */
    void soon(String fact, BooleanSupplier condition) {
        long start = time().clock().map(FakeClock::nanos).orElse(0L);
        until(fact, condition);
        time().clock()
                .ifPresent(clock -> assertThat(Duration.ofNanos(clock.nanos() - start))
                        .as("time until %s", fact)
                        .isLessThan(SOON));
    }

    /** Waits until the stage completes and returns its value, or throws its failure. */
    <T> T outcome(String fact, CompletionStage<T> stage) {
        // Use a copy: calling toCompletableFuture() on a pending lease makes the caller responsible for ending it.
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

    /** Opens another process that calls the store directly. */
    StoreProcess process() {
        return opened(new StoreProcess(this));
    }

    /** Opens another Interlock in the namespace of this case. */
    Interlock interlock() {
        return interlock(namespace, builder -> builder);
    }

    Interlock interlock(UnaryOperator<Interlock.Builder> options) {
        return interlock(namespace, options);
    }

    /** Opens an Interlock on the same store in another namespace. */
    Interlock inOtherNamespace() {
        return interlock(namespace + "-other", builder -> builder);
    }

    private Interlock interlock(String where, UnaryOperator<Interlock.Builder> options) {
        Interlock.Builder builder = Interlock.builder(kit.connect(where));
        time().clock().ifPresent(builder::environment);
        return opened(options.apply(builder).build());
    }

    /** Runs the work on a new thread. */
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

    /** Runs the work on several threads at once and waits until all have finished. */
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
                "all threads have finished",
                () -> running.stream().allMatch(CompletableFuture::isDone)
                        || running.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
        running.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
    }

    /** The work of one thread. */
    interface Work {
        void run(int index) throws Exception;
    }

    Backend backend() {
        if (backend == null) {
            backend = opened(kit.connect(namespace));
        }
        return backend;
    }

    Environment environment() {
        if (environment == null) {
            environment = opened(time().clock().<Environment>map(clock -> clock).orElseGet(RealEnvironment::new));
        }
        return environment;
    }

    private <T extends AutoCloseable> T opened(T thing) {
        opened.push(thing);
        return thing;
    }

    /** Checks the holders that the store reports, then closes everything in reverse order of opening. */
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

    /** After every case, the holders of one lock must have modes that do not exclude each other. */
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
