package dev.interlock.bench.jmh;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockScope;
import dev.interlock.memory.InMemoryBackend;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Acquires and releases a free lock while the scope holds another one, so that the order is checked and learned, and while it holds nothing. The difference is
 * what that costs; the goal is 200 ns.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NestedAcquireBenchmark {
    private final Interlock interlock = Interlock.builder(InMemoryBackend.create())
            .order(LockOrder.of("character", "equipment", "cube"))
            .build();
    private final LockScope holding = interlock.locks().newScope("holding");
    private final LockScope empty = interlock.locks().newScope("empty");
    private final Lease outer = held("character:1");
    private final LockRequest<Lease> nested = request().in(holding);
    private final LockRequest<Lease> alone = request().in(empty);

    private Lease held(String name) {
        return holding.call(() -> interlock.locks().acquire(LockKey.of(name)));
    }

    private LockRequest<Lease> request() {
        return interlock.locks().with(LockKey.of("equipment", "7"));
    }

    /** Inside another lock. */
    @Benchmark
    public long interlock() {
        try (Lease lease = nested.acquire()) {
            return lease.token().value();
        }
    }

    /** Inside nothing. */
    @Benchmark
    public long notNested() {
        try (Lease lease = alone.acquire()) {
            return lease.token().value();
        }
    }

    /** Ends Interlock's threads. */
    @TearDown
    public void close() {
        outer.close();
        interlock.close();
    }
}
