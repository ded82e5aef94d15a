package dev.interlock.internal.deadlock;

import static dev.interlock.internal.deadlock.Waits.deadlocks;
import static dev.interlock.internal.deadlock.Waits.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.WaitForGraph.Wait;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which cycles are found, and which wait is the victim. */
@Tag("slow")
class DeadlockTest {
    @Test
    void chainIsNoCycle() {
        assertThat(deadlocks(List.of(waiting(1, "b", "a"), waiting(2, "c", "b"), waiting(3, "d", "c"))))
                .isEmpty();
    }

    @Test
    void latestWaitOfACycleIsTheVictim() {
        List<Deadlock> found = deadlocks(List.of(waiting(2, "c", "b"), waiting(3, "a", "c"), waiting(1, "b", "a")));
        assertThat(found).hasSize(1);
        assertThat(found.get(0).waits())
                .extracting(Wait::process)
                .containsExactly("process-3", "process-1", "process-2");
    }

    @Test
    void waitForACycleIsNotPartOfIt() {
        List<Deadlock> found = deadlocks(List.of(waiting(1, "b", "a"), waiting(2, "a", "b"), waiting(9, "a", "z")));
        assertThat(found).extracting(one -> one.victim().process()).containsExactly("process-2");
    }

    /** A victim that is on both cycles ends both. */
    @Test
    void oneVictimOnTwoCyclesIsEnough() {
        List<Wait> waits = List.of(waiting(1, "hub", "a"), waiting(2, "hub", "b"), waiting(3, "a", "hub"));
        assertThat(deadlocks(waits)).extracting(one -> one.victim().process()).containsExactly("process-3");
    }

    @Test
    void eachOfTwoSeparateCyclesHasAVictim() {
        assertThat(deadlocks(List.of(
                        waiting(1, "b", "a"), waiting(2, "a", "b"), waiting(3, "d", "c"), waiting(4, "c", "d"))))
                .extracting(one -> one.victim().process())
                .containsExactly("process-2", "process-4");
    }

    /** So processes that read at different moments agree. */
    @Test
    void waitsThatBeginLaterDoNotChangeTheVictim() {
        List<Wait> waits = new ArrayList<>(List.of(waiting(1, "b", "a"), waiting(2, "a", "b")));
        assertThat(deadlocks(waits)).hasSize(1);
        waits.add(waiting(3, "b", "c"));
        waits.add(waiting(4, "c", "b"));
        assertThat(deadlocks(waits).get(0).victim().process()).isEqualTo("process-2");
    }

    @Test
    void twoCyclesThroughTheSameWaitsHaveOneVictimAtATime() {
        List<Wait> waits = List.of(
                waiting(1, "b", "a"), waiting(2, "c", "b", "d"), waiting(3, "a", "c"), waiting(4, "d", "a2", "c"));
        assertThat(deadlocks(waits)).hasSize(1);
    }

    @Test
    void chainLongerThanAThreadStackIsSearched() {
        int length = 40_000;
        List<Wait> waits = IntStream.range(0, length)
                .mapToObj(i -> waiting(i, "k" + (i + 1) % length, "k" + i))
                .toList();
        List<Deadlock> found = deadlocks(waits);
        assertThat(found).hasSize(1);
        assertThat(found.get(0).waits()).hasSize(length);
        assertThat(deadlocks(waits.subList(0, length - 1))).isEmpty();
    }

    /**
     * Compared with brute force: each victim is on a cycle, no cycle is left when all victims have gone one after
     * another, and the order of the reports does not matter.
     */
    @Test
    void victimsFreeRandomGraphs() {
        Random random = new Random(6);
        int cycles = 0;
        for (int round = 0; round < 3000; round++) {
            List<Wait> waits = new ArrayList<>();
            int count = 2 + random.nextInt(9);
            for (int i = 0; i < count; i++) {
                String[] held = random.ints(random.nextInt(3), 0, 6)
                        .distinct()
                        .mapToObj(k -> "k" + k)
                        .toArray(String[]::new);
                waits.add(waiting(i, "k" + random.nextInt(6), held));
            }
            List<Wait> left = waits;
            for (List<Deadlock> found = deadlocks(left); !found.isEmpty(); found = deadlocks(left)) {
                cycles += found.size();
                List<Wait> before = List.copyOf(left);
                List<Wait> after = new ArrayList<>(before);
                for (Deadlock one : found) {
                    assertThat(reaches(one.victim(), one.victim(), before, new ArrayList<>()))
                            .isTrue();
                    assertThat(one.waits())
                            .allMatch(member ->
                                    !member.since().isAfter(one.victim().since()));
                    after.remove(one.victim());
                }
                List<Wait> shuffled = new ArrayList<>(before);
                Collections.shuffle(shuffled, random);
                assertThat(deadlocks(shuffled)).isEqualTo(found);
                left = after;
            }
            List<Wait> free = left;
            assertThat(free).noneMatch(wait -> reaches(wait, wait, free, new ArrayList<>()));
        }
        assertThat(cycles).isGreaterThan(1000);
    }

    private static boolean reaches(Wait from, Wait to, List<Wait> waits, List<Wait> seen) {
        for (Wait blocker : waits) {
            boolean blocks = !blocker.scopeId().equals(from.scopeId())
                    && blocker.held().stream().anyMatch(held -> held.key().equals(from.wanted()));
            if (blocks && blocker.equals(to)) {
                return true;
            }
            if (blocks && !seen.contains(blocker)) {
                seen.add(blocker);
                if (reaches(blocker, to, waits, seen)) {
                    return true;
                }
            }
        }
        return false;
    }
}
