package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Questions are strings, their locks are named by the part before a slash, and carriers run when the test says so. */
class GatheringTest {
    private final Deque<Runnable> carriers = new ArrayDeque<>();
    private final List<List<String>> carried = new ArrayList<>();
    private Function<List<String>, List<String>> database =
            questions -> questions.stream().map(question -> question + "!").toList();

    private Gathering<String, String> gathering(Duration longestTurn) {
        return new Gathering<>(
                carriers::add, 2, longestTurn, question -> LockKey.of(question.replaceAll("/.*", "")), questions -> {
                    carried.add(questions);
                    return database.apply(questions);
                });
    }

    private final Gathering<String, String> gathering = gathering(Duration.ofMinutes(1));

    private CompletableFuture<String> ask(String question) {
        return gathering.ask(question).toCompletableFuture();
    }

    private void run() {
        while (!carriers.isEmpty()) {
            carriers.remove().run();
        }
    }

    @Test
    void questionOfAQuietProcessGoesAlone() {
        CompletableFuture<String> a = ask("a");
        run();
        CompletableFuture<String> b = ask("b");
        run();
        assertThat(carried).containsExactly(List.of("a"), List.of("b"));
        assertThat(a).isCompletedWithValue("a!");
        assertThat(b).isCompletedWithValue("b!");
    }

    @Test
    void questionsThatComeMeanwhileGoTogetherAndGetTheirOwnAnswers() {
        List<CompletableFuture<String>> answers = List.of(ask("a"), ask("b"), ask("c"), ask("d"));
        assertThat(carriers).as("no more than two are under way").hasSize(2);
        run();
        assertThat(carried).containsExactly(List.of("a", "b", "c", "d"));
        assertThat(answers.stream().map(CompletableFuture::join)).containsExactly("a!", "b!", "c!", "d!");
    }

    @Test
    void oneStatementHasNoLockTwice() {
        CompletableFuture<String> first = ask("a/1");
        CompletableFuture<String> second = ask("a/2");
        run();
        assertThat(carried).containsExactly(List.of("a/1"), List.of("a/2"));
        assertThat(first).isCompletedWithValue("a/1!");
        assertThat(second).isCompletedWithValue("a/2!");
    }

    @Test
    void questionThatWasDroppedIsNotCarried() {
        CompletableFuture<String> a = ask("a");
        CompletableFuture<String> b = ask("b");
        gathering.drop("a"::equals);
        run();
        assertThat(carried).containsExactly(List.of("b"));
        assertFailed(a, StoreException.Kind.NOT_SENT);
        assertThat(b).isCompletedWithValue("b!");
        gathering.drop("b"::equals);
        assertThat(b).isCompletedWithValue("b!");
    }

    @Test
    void questionThatWaitedForTooLongIsNotCarried() {
        Gathering<String, String> hasty = gathering(Duration.ofNanos(-1));
        CompletableFuture<String> late = hasty.ask("a").toCompletableFuture();
        run();
        assertThat(carried).isEmpty();
        assertFailed(late, StoreException.Kind.NOT_SENT);
    }

    @Test
    void nobodyFailsForAnotherWhenTheDatabaseRefuses() {
        database = questions -> {
            if (questions.contains("bad")) {
                throw StoreException.refused("bad");
            }
            return questions;
        };
        CompletableFuture<String> good = ask("good");
        CompletableFuture<String> bad = ask("bad");
        run();
        assertThat(carried).containsExactly(List.of("good", "bad"), List.of("good"), List.of("bad"));
        assertThat(good).isCompletedWithValue("good");
        assertFailed(bad, StoreException.Kind.REFUSED);
    }

    /** What may have been done is not done again by us: the engine finds out, for each by its id. */
    @Test
    void lostAnswerIsUnknownToEverybodyAndNothingIsCarriedTwice() {
        database = questions -> {
            throw StoreException.unknown("cut", null);
        };
        CompletableFuture<String> a = ask("a");
        CompletableFuture<String> b = ask("b");
        run();
        assertThat(carried).containsExactly(List.of("a", "b"));
        assertFailed(a, StoreException.Kind.UNKNOWN);
        assertFailed(b, StoreException.Kind.UNKNOWN);
    }

    @Test
    void carriersGoOnAfterAFailure() {
        database = questions -> {
            throw new IllegalStateException("a bug");
        };
        CompletableFuture<String> a = ask("a");
        run();
        assertThat(a).isCompletedExceptionally();
        database = questions -> questions;
        CompletableFuture<String> b = ask("b");
        run();
        assertThat(b).isCompletedWithValue("b");
    }

    private static void assertFailed(CompletableFuture<String> answer, StoreException.Kind kind) {
        assertThatThrownBy(answer::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }
}
