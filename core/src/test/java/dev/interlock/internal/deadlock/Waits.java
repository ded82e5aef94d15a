package dev.interlock.internal.deadlock;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.WaitForGraph;
import dev.interlock.lock.WaitForGraph.Held;
import dev.interlock.lock.WaitForGraph.Wait;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/** Waits for tests. */
final class Waits {
    private Waits() {}

    /** Wait number n: began at second n and wants this key while it holds the others. Its number is also its token. */
    static Wait waiting(int number, String wanted, String... held) {
        return new Wait(
                "e" + number + "-1",
                "process-" + number,
                "scope-" + number,
                "work",
                LockKey.of(wanted),
                LockMode.EXCLUSIVE,
                Instant.ofEpochSecond(number),
                Arrays.stream(held)
                        .map(key -> new Held(LockKey.of(key), LockMode.EXCLUSIVE, FencingToken.of(number + 1, 0)))
                        .toList(),
                List.of());
    }

    static List<Deadlock> deadlocks(List<Wait> waits) {
        return Deadlock.among(new WaitForGraph(Instant.EPOCH, waits).edges());
    }
}
