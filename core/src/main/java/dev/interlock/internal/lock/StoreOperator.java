package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.Answer;
import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOperator;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.lock.WaitForGraph;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operator's view of the store. */
final class StoreOperator implements LockOperator {
    private static final int MAX_PER_PAGE = 1000;

    private record Outcome<T>(@Nullable T value, @Nullable StoreException failure) {}

    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final StoreAccess access;
    private final WaitReports reports;

    StoreOperator(EngineRuntime runtime, EngineSettings settings, StoreAccess access, WaitReports reports) {
        this.runtime = runtime;
        this.settings = settings;
        this.access = access;
        this.reports = reports;
    }

    @Override
    public LockPage list(String prefix, Optional<String> after, int limit) {
        Objects.requireNonNull(prefix, "prefix is null: give the beginning of the names, empty for all");
        Objects.requireNonNull(after, "after is null: give Optional.empty() to begin");
        if (limit < 1 || limit > MAX_PER_PAGE) {
            throw new IllegalArgumentException("limit is " + limit + ": choose 1 to " + MAX_PER_PAGE);
        }
        requireIntrospection();
        return call(() -> access.store().snapshot(new SnapshotQuery(prefix, after, limit)));
    }

    @Override
    public Optional<LockSnapshot> inspect(LockKey key) {
        Objects.requireNonNull(key, "key is null: name the lock to inspect");
        requireIntrospection();
        return call(() -> access.store().snapshot(new SnapshotQuery(key.name(), Optional.empty(), 1))).locks().stream()
                .filter(lock -> lock.key().equals(key))
                .findFirst();
    }

    @Override
    public int forceRelease(LockKey key) {
        Objects.requireNonNull(key, "key is null: name the lock to release");
        if (!access.capabilities().forcedRelease()) {
            throw new LockRefusedException(runtime.storeName() + " cannot release a lock by force");
        }
        runtime.log().log(System.Logger.Level.WARNING, "Releasing \"{0}\" by force", key);
        return call(() -> access.store().forceRelease(key));
    }

    WaitForGraph waitForGraph() {
        List<WaitReport> all = call(() -> reports.exchange(WaitReportExchange.reading()));
        return WaitReports.graph(WaitReports.parse(all), runtime.environment().wall());
    }

    private void requireIntrospection() {
        if (!access.capabilities().introspection()) {
            throw new LockRefusedException(runtime.storeName() + " cannot list its locks");
        }
    }

    private <T> T call(Supplier<CompletionStage<T>> call) {
        if (runtime.isClosed()) {
            throw new InterlockClosedException("This Interlock is closed: open a new one");
        }
        Answer<Outcome<T>> answer = new Answer<>();
        runtime.calls()
                .urgent(
                        call,
                        runtime.answerNanos(),
                        (value, failure) -> answer.set(new Outcome<>(value, failure)),
                        late -> {});
        Outcome<T> outcome;
        try {
            outcome = answer.await(settings.answerWithin().plusSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException("Interrupted while waiting for " + runtime.storeName());
        }
        T value = outcome == null ? null : outcome.value();
        if (value != null) {
            return value;
        }
        StoreException failure = outcome == null ? null : outcome.failure();
        if (failure != null && failure.kind() == StoreException.Kind.REFUSED) {
            throw new LockRefusedException(String.valueOf(failure.getMessage()));
        }
        throw new StoreUnavailableException(runtime.storeName() + " did not answer", failure);
    }
}
