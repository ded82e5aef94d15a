package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Selects the locks of a thread, by number. Each inner list is one operation; a thread repeats its list of operations.
 */
@FunctionalInterface
public interface LockSelection {
    /** The operations of one thread. */
    List<List<Integer>> operationsOf(int thread);

    /** Each thread has its own lock. */
    static LockSelection own() {
        return thread -> List.of(List.of(thread));
    }

    /** All threads use the same lock. */
    static LockSelection hot() {
        return thread -> List.of(List.of(0));
    }

    /** Each operation uses several of many locks. The selection is the same in every run and in no particular order. */
    static LockSelection several(int taken, int outOf) {
        int variety = 256;
        return thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            List<List<Integer>> operations = new ArrayList<>();
            for (int i = 0; i < variety; i++) {
                operations.add(
                        random.ints(0, outOf).distinct().limit(taken).boxed().toList());
            }
            return operations;
        };
    }
}
