package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Which locks a thread takes, as numbers; each inner list is one operation, and they are gone through in a circle. */
@FunctionalInterface
public interface Reach {
    /** The operations of one thread. */
    List<List<Integer>> operationsOf(int thread);

    /** Each thread has a lock of its own. */
    static Reach own() {
        return thread -> List.of(List.of(thread));
    }

    /** All threads want the same lock. */
    static Reach hot() {
        return thread -> List.of(List.of(0));
    }

    /** Each operation takes several locks out of many, the same ones in every run and in no particular order. */
    static Reach several(int taken, int outOf) {
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
