package dev.interlock.internal.runtime;

import dev.interlock.spi.Environment;
import dev.interlock.spi.StoreException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the store: every call is answered exactly once, within its limit, as an answer or as a
 * {@link StoreException}.
 *
 * <p>An answer that arrives after its limit goes to the {@code late} consumer of the call, which can undo what the
 * call did.
 */
public final class StoreCalls {
    /** Takes the outcome of a call: exactly one of the two is not null. */
    public interface Outcome<T> {
        void accept(@Nullable T answer, @Nullable StoreException failure);
    }

    @SuppressWarnings("rawtypes") // a class literal has no type arguments
    private static final AtomicIntegerFieldUpdater<InFlight> SETTLED =
            AtomicIntegerFieldUpdater.newUpdater(InFlight.class, "settled");

    private final Environment environment;
    private final Timetable timetable;
    private final CircuitBreaker breaker = new CircuitBreaker();
    private final Executor lane;
    private final String storeName;

    StoreCalls(Environment environment, Timetable timetable, Executor lane, String storeName) {
        this.environment = environment;
        this.timetable = timetable;
        this.lane = lane;
        this.storeName = storeName;
    }

    /** A call for new work. Fails at once while the circuit is open. */
    public <T> void guarded(Supplier<CompletionStage<T>> call, long limitNanos, Outcome<T> outcome, Consumer<T> late) {
        if (!breaker.admits(environment.nanos())) {
            refuse(outcome);
            return;
        }
        urgent(call, limitNanos, outcome, late);
    }

    /**
     * A call that no request depends on. It is made only while the circuit is closed, and the circuit breaker does
     * not count it if it fails: it must not keep the circuit open when the store is back, nor use up the one trial
     * call.
     */
    public <T> void aside(Supplier<CompletionStage<T>> call, long limitNanos, Outcome<T> outcome) {
        if (breaker.isOpen()) {
            refuse(outcome);
            return;
        }
        make(call, limitNanos, new InFlight<>(outcome, late -> {}, false));
    }

    private <T> void refuse(Outcome<T> outcome) {
        outcome.accept(
                null,
                StoreException.notSent(
                        storeName + " has not answered lately; no new calls are sent for a moment", null));
    }

    /** A call that keeps or returns what is held. It is made even while the circuit is open. */
    public <T> void urgent(Supplier<CompletionStage<T>> call, long limitNanos, Outcome<T> outcome, Consumer<T> late) {
        make(call, limitNanos, new InFlight<>(outcome, late, true));
    }

    private <T> void make(Supplier<CompletionStage<T>> call, long limitNanos, InFlight<T> inFlight) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (RuntimeException | Error e) {
            // Errors too: requests that wait for this call would otherwise wait for ever.
            inFlight.fail(e);
            return;
        }
        stage.whenComplete(inFlight::completed);
        if (!inFlight.isSettled()) {
            inFlight.armed = true;
            timetable.set(inFlight, environment.nanos() + limitNanos);
            if (inFlight.isSettled()) {
                timetable.cancel(inFlight);
            }
        }
    }

    private final class InFlight<T> extends Timetable.Entry {
        @SuppressWarnings("UnusedVariable") // by SETTLED
        volatile int settled;

        volatile boolean armed;
        private final Outcome<T> outcome;
        private final Consumer<T> late;

        /** Whether the circuit breaker counts this call if it fails. */
        private final boolean counts;

        InFlight(Outcome<T> outcome, Consumer<T> late, boolean counts) {
            this.outcome = outcome;
            this.late = late;
            this.counts = counts;
        }

        boolean isSettled() {
            return settled != 0;
        }

        private boolean settle() {
            return SETTLED.compareAndSet(this, 0, 1);
        }

        void completed(@Nullable T answer, @Nullable Throwable error) {
            if (!settle()) {
                if (answer != null) {
                    breaker.answered();
                    late.accept(answer);
                }
                return;
            }
            if (armed) {
                timetable.cancel(this);
            }
            if (answer != null) {
                breaker.answered();
                outcome.accept(answer, null);
            } else {
                fail(error != null ? error : new IllegalStateException("an empty answer"));
            }
        }

        @Override
        protected void ring(long nowNanos) {
            if (settle()) {
                // The outcome may call the store again. The deadline thread must not do that.
                lane.execute(() -> fail(StoreException.unknown(storeName + " did not answer in time", null)));
            }
        }

        private void fail(Throwable error) {
            Throwable cause =
                    error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
            StoreException failure = cause instanceof StoreException known
                    ? known
                    : StoreException.unknown("The answer of " + storeName + " was lost: " + cause, cause);
            if (failure.isAnswered()) {
                breaker.answered();
            } else if (counts) {
                breaker.unanswered(environment.nanos());
            }
            outcome.accept(null, failure);
        }
    }
}
