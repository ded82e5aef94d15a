package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Lets questions about different locks share a statement and its commit. Nobody waits for company: what is asked while all who carry
 * questions to the database are on their way goes with the first who comes back. A quiet process carries each question alone.
 *
 * <p>Invariants: a question is carried at most once; one that was dropped before is not; one statement has no lock twice. If the database
 * refuses what was carried together, each is carried alone, so nobody fails for another.
 *
 * @param <Q> a question
 * @param <A> its answer
 */
final class Gathering<Q, A> {
    private static final int MOST_TOGETHER = 64;

    private final Executor executor;
    private final int carriers;
    private final Duration longestTurn;
    private final Function<Q, LockKey> key;
    private final Function<List<Q>, List<A>> ask;
    private final Queue<Entry<Q, A>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger carrying = new AtomicInteger();

    /**
     * Answers of {@code ask} stand in the order of its questions; it blocks.
     *
     * @param longestTurn a question that had to wait for longer is not carried any more: whoever asked has given up
     */
    Gathering(
            Executor executor,
            int carriers,
            Duration longestTurn,
            Function<Q, LockKey> key,
            Function<List<Q>, List<A>> ask) {
        this.executor = executor;
        this.carriers = carriers;
        this.longestTurn = longestTurn;
        this.key = key;
        this.ask = ask;
    }

    private static final class Entry<Q, A> {
        final Q question;
        final CompletableFuture<A> answer = new CompletableFuture<>();
        final long asked = System.nanoTime();
        private final AtomicBoolean taken = new AtomicBoolean();

        Entry(Q question) {
            this.question = question;
        }

        /** By whoever carries or drops it: exactly one. */
        boolean take() {
            return taken.compareAndSet(false, true);
        }
    }

    CompletionStage<A> ask(Q question) {
        Entry<Q, A> entry = new Entry<>(question);
        waiting.add(entry);
        carryOn();
        return entry.answer;
    }

    /** Questions that nobody wants answered any more, if they have not left yet. */
    void drop(Predicate<Q> unwanted) {
        for (Entry<Q, A> entry : waiting) {
            if (unwanted.test(entry.question) && entry.take()) {
                entry.answer.completeExceptionally(StoreException.notSent("It was withdrawn before it was sent", null));
            }
        }
    }

    private void carryOn() {
        int now = carrying.get();
        while (now < carriers && !waiting.isEmpty()) {
            if (carrying.compareAndSet(now, now + 1)) {
                try {
                    executor.execute(this::carry);
                } catch (RuntimeException e) {
                    carrying.decrementAndGet();
                    throw e;
                }
                return;
            }
            now = carrying.get();
        }
    }

    private void carry() {
        try {
            for (List<Entry<Q, A>> together = next(); !together.isEmpty(); together = next()) {
                answer(together);
            }
        } finally {
            carrying.decrementAndGet();
            carryOn();
        }
    }

    private List<Entry<Q, A>> next() {
        List<Entry<Q, A>> together = new ArrayList<>();
        Set<LockKey> keys = new HashSet<>();
        List<Entry<Q, A>> later = new ArrayList<>(0);
        while (together.size() < MOST_TOGETHER) {
            Entry<Q, A> entry = waiting.poll();
            if (entry == null) {
                break;
            }
            if (!keys.add(key.apply(entry.question))) {
                later.add(entry);
            } else if (entry.take()) {
                if (System.nanoTime() - entry.asked > longestTurn.toNanos()) {
                    entry.answer.completeExceptionally(StoreException.notSent(
                            "It was not this request's turn for too long, so it was not sent", null));
                } else {
                    together.add(entry);
                }
            }
        }
        waiting.addAll(later);
        return together;
    }

    private void answer(List<Entry<Q, A>> together) {
        List<A> answers;
        try {
            answers = ask.apply(together.stream().map(entry -> entry.question).toList());
        } catch (RuntimeException e) {
            if (together.size() > 1 && e instanceof StoreException store && store.isAnswered()) {
                together.forEach(entry -> answer(List.of(entry)));
            } else {
                together.forEach(entry -> entry.answer.completeExceptionally(e));
            }
            return;
        }
        for (int i = 0; i < together.size(); i++) {
            together.get(i).answer.complete(answers.get(i));
        }
    }
}
