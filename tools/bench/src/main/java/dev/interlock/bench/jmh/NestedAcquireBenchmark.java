package dev.interlock.bench.jmh;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockScope;
import dev.interlock.memory.InMemoryBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Acquires and releases an uncontended lock while the scope holds nothing, another lock, or locks of many types. The
 * difference is the cost of checking and learning the lock order; the goal is 200 ns.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NestedAcquireBenchmark {
    /** More nested lock types than any realistic code has. */
    private static final int MANY = 16;

    private final Interlock interlock = Interlock.builder(InMemoryBackend.create())
            .order(LockOrder.of("character", "equipment", "cube"))
            .build();
    private final LockScope holding = interlock.locks().newScope("holding");
    private final LockScope holdingMany = interlock.locks().newScope("holding many");
    private final LockScope empty = interlock.locks().newScope("empty");
    private final List<Lease> outer = new ArrayList<>();
    private final LockRequest<Lease> nested = request().in(holding);
    private final LockRequest<Lease> nestedInMany = request().in(holdingMany);
    private final LockRequest<Lease> alone = request().in(empty);

    /** Acquires the outer locks. Undeclared types are derived from the key names. */
    @Setup
    public void hold() {
        outer.add(
                interlock.locks().with(LockKey.of("character", "1")).in(holding).acquire());
        for (int i = 0; i < MANY; i++) {
            LockKey key = LockKey.of("undeclared-" + i, "1");
            outer.add(interlock.locks().with(key).in(holdingMany).tryAcquire().orElseThrow());
        }
    }

    private LockRequest<Lease> request() {
        return interlock.locks().with(LockKey.of("wanted", "7"));
    }

    /** Nested in another lock. */
    @Benchmark
    public long interlock() {
        try (Lease lease = nested.acquire()) {
            return lease.token().value();
        }
    }

    /** Nested in locks of many types. */
    @Benchmark
    public long interlockInMany() {
        try (Lease lease = nestedInMany.acquire()) {
            return lease.token().value();
        }
    }

    /** Not nested. */
    @Benchmark
    public long notNested() {
        try (Lease lease = alone.acquire()) {
            return lease.token().value();
        }
    }

    /** Stops Interlock's threads. */
    @TearDown
    public void close() {
        outer.forEach(Lease::close);
        interlock.close();
    }
}
