package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Questions go alone while few are on their way, together under load, and never once they were taken back. */
class GatheringTest {
    private static final int QUIET = 8;

    private final Deque<CompletableFuture<String>> alone = new ArrayDeque<>();
    private final List<List<Integer>> together = new ArrayList<>();
    private final Set<Integer> takenBack = new HashSet<>();
    private final Gathering<Integer, String> gathering = new Gathering<>(
            question -> {
                CompletableFuture<String> answer = new CompletableFuture<>();
                alone.add(answer);
                return answer;
            },
            several -> {
                together.add(several.stream().map(Gathering.Asked::question).toList());
                several.forEach(asked -> asked.answer().complete("together"));
                return new CompletableFuture<>();
            },
            asked -> {},
            question -> !takenBack.contains(question));

    private List<CompletableFuture<String>> ask(int from, int to) {
        return IntStream.range(from, to).mapToObj(gathering::ask).toList();
    }

    @Test
    void fewQuestionsGoAlone() {
        ask(0, QUIET);
        assertThat(alone).hasSize(QUIET);
        assertThat(together).isEmpty();
    }

    @Test
    void questionsUnderLoadGoTogetherOnceTheOthersHaveComeBack() {
        ask(0, QUIET);
        List<CompletableFuture<String>> late = ask(QUIET, QUIET + 5);
        assertThat(alone).hasSize(QUIET);
        while (alone.size() > 1) {
            alone.pop().complete("alone");
        }
        assertThat(together).containsExactly(List.of(8, 9, 10, 11, 12));
        assertThat(late).allSatisfy(answer -> assertThat(answer).isCompletedWithValue("together"));
    }

    @Test
    void questionThatWasTakenBackWhileItWaitedIsNeverSent() {
        ask(0, QUIET);
        ask(QUIET, QUIET + 3);
        takenBack.add(9);
        while (!alone.isEmpty()) {
            alone.pop().complete("alone");
        }
        assertThat(together).containsExactly(List.of(8, 10));
    }

    @Test
    void failedCallDoesNotKeepTheOthersWaiting() {
        ask(0, QUIET);
        ask(QUIET, QUIET + 1);
        while (!alone.isEmpty()) {
            alone.pop().completeExceptionally(new IllegalStateException("lost"));
        }
        assertThat(together).containsExactly(List.of(8));
    }
}
