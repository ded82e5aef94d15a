package dev.interlock.internal.lock;

import dev.interlock.internal.time.Timetable;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.Surroundings;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the store: every call is answered exactly once, within its limit, as an answer or as a {@link StoreException}.
 *
 * <p>An answer that comes after its limit is handed to the call's {@code late} consumer, so that a grant nobody waits for
 * is given back.
 */
final class StoreCalls {
    /** Takes the outcome of a call: exactly one of the two is not null. */
    interface Outcome<T> {
        void accept(@Nullable T answer, @Nullable StoreException failure);
    }

    @SuppressWarnings("rawtypes") // a class literal has no type arguments
    private static final AtomicIntegerFieldUpdater<InFlight> SETTLED =
            AtomicIntegerFieldUpdater.newUpdater(InFlight.class, "settled");

    private final Surroundings surroundings;
    private final Timetable timetable;
    private final CircuitBreaker breaker = new CircuitBreaker();
    private final Executor lane;
    private final String storeName;

    StoreCalls(Surroundings surroundings, Timetable timetable, Executor lane, String storeName) {
        this.surroundings = surroundings;
        this.timetable = timetable;
        this.lane = lane;
        this.storeName = storeName;
    }

    /** A call that new work makes: refused at once while the circuit is open. */
    <T> void guarded(Supplier<CompletionStage<T>> call, long limitNanos, Outcome<T> outcome, Consumer<T> late) {
        if (!breaker.admits(surroundings.nanos())) {
            leftAlone(outcome);
            return;
        }
        urgent(call, limitNanos, outcome, late);
    }

    /**
     * A call that nobody's lock depends on: made only while the circuit is closed, and if it is not answered, that counts for nothing. It
     * would keep the circuit open for those who come when the store is back, or use up their try.
     */
    <T> void aside(Supplier<CompletionStage<T>> call, long limitNanos, Outcome<T> outcome) {
        if (breaker.isOpen()) {
            leftAlone(outcome);
            return;
        }
        make(call, limitNanos, new InFlight<>(outcome, late -> {}, false));
    }

    private <T> void leftAlone(Outcome<T> outcome) {
        outcome.accept(
                null,
                StoreException.notSent(storeName + " has not answered lately, so it is left alone for a moment", null));
    }

    /** A call that keeps or gives back what is held: made whatever the circuit says. */
    <T> void urgent(Supplier<CompletionStage<T>> call, long limitNanos, Outcome<T> outcome, Consumer<T> late) {
        make(call, limitNanos, new InFlight<>(outcome, late, true));
    }

    private <T> void make(Supplier<CompletionStage<T>> call, long limitNanos, InFlight<T> inFlight) {
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (RuntimeException | Error e) {
            // An error too: whoever waits behind this call would wait for ever.
            inFlight.fail(e);
            return;
        }
        stage.whenComplete(inFlight::completed);
        if (!inFlight.isSettled()) {
            inFlight.armed = true;
            timetable.set(inFlight, surroundings.nanos() + limitNanos);
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

        /** Whether the circuit opens if this is not answered often enough. */
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
                // The outcome may call the store again, which the deadline thread must not.
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
                breaker.unanswered(surroundings.nanos());
            }
            outcome.accept(null, failure);
        }
    }
}
