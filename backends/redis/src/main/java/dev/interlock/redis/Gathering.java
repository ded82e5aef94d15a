package dev.interlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Lets questions travel together under load. While few calls are on their way each question is a call of its own, so a quiet process
 * pays nothing; beyond that, questions wait for a call to come back and go as one.
 *
 * <p>Thread-safe and never blocks. A question is always either on its way or waiting for one that is.
 */
final class Gathering<Q, A> {
    /** So many calls on their way are no load yet. */
    private static final int QUIET = 8;

    /** Under load so many calls keep the server busy, and the fewer they are the more each carries. */
    private static final int BUSY = 2;

    private static final int MOST_TOGETHER = 64;

    /** A question and who waits for its answer. */
    record Asked<Q, A>(Q question, CompletableFuture<A> answer) {
        /** Answers as another call is answered. */
        void follow(CompletableFuture<A> other) {
            other.whenComplete((found, error) -> {
                if (error != null) {
                    answer.completeExceptionally(error);
                } else {
                    answer.complete(found);
                }
            });
        }
    }

    private final Function<Q, CompletableFuture<A>> alone;
    private final Function<List<Asked<Q, A>>, CompletableFuture<?>> together;
    private final Consumer<Asked<Q, A>> waits;
    private final Predicate<Q> leaves;
    private final ConcurrentLinkedQueue<Asked<Q, A>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger onTheirWay = new AtomicInteger();

    /**
     * @param alone asks one question
     * @param together asks several in one call, completes each answer, and is done when the call has come back
     * @param waits told of a question before it waits for company
     * @param leaves told of a question that has waited and is about to be sent; false if it was taken back, and answered by who did that
     */
    Gathering(
            Function<Q, CompletableFuture<A>> alone,
            Function<List<Asked<Q, A>>, CompletableFuture<?>> together,
            Consumer<Asked<Q, A>> waits,
            Predicate<Q> leaves) {
        this.alone = alone;
        this.together = together;
        this.waits = waits;
        this.leaves = leaves;
    }

    CompletableFuture<A> ask(Q question) {
        if (waiting.isEmpty() && mayGoAlone()) {
            CompletableFuture<A> answer = alone.apply(question);
            answer.whenComplete((done, error) -> cameBack());
            return answer;
        }
        return gather(question);
    }

    private boolean mayGoAlone() {
        if (onTheirWay.incrementAndGet() <= QUIET) {
            return true;
        }
        onTheirWay.decrementAndGet();
        return false;
    }

    private CompletableFuture<A> gather(Q question) {
        Asked<Q, A> asked = new Asked<>(question, new CompletableFuture<>());
        waits.accept(asked);
        waiting.add(asked);
        sendIfIdle();
        return asked.answer();
    }

    private void cameBack() {
        onTheirWay.decrementAndGet();
        sendIfIdle();
    }

    private void sendIfIdle() {
        while (!waiting.isEmpty()) {
            int now = onTheirWay.get();
            if (now >= BUSY) {
                return;
            }
            if (onTheirWay.compareAndSet(now, now + 1)) {
                send();
            }
        }
    }

    private void send() {
        List<Asked<Q, A>> several = new ArrayList<>();
        Asked<Q, A> next = waiting.poll();
        while (next != null) {
            if (leaves.test(next.question())) {
                several.add(next);
            }
            next = several.size() < MOST_TOGETHER ? waiting.poll() : null;
        }
        if (several.isEmpty()) {
            onTheirWay.decrementAndGet();
        } else {
            together.apply(several).whenComplete((done, error) -> cameBack());
        }
    }
}
