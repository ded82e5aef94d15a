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
 * Acquires and releases a free lock while the scope holds another one or one of each of many types, so that the order is checked and learned, and while it holds
 * nothing. The difference is what that costs; the goal is 200 ns.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NestedAcquireBenchmark {
    /** More than code has that holds locks of different types one inside the other. */
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

    /** Takes what is held all the time. Types that are not declared are found in the names. */
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

    /** Inside another lock. */
    @Benchmark
    public long interlock() {
        try (Lease lease = nested.acquire()) {
            return lease.token().value();
        }
    }

    /** Inside locks of many types. */
    @Benchmark
    public long interlockInMany() {
        try (Lease lease = nestedInMany.acquire()) {
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
        outer.forEach(Lease::close);
        interlock.close();
    }
}
