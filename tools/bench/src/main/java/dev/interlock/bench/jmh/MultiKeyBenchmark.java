package dev.interlock.bench.jmh;

import dev.interlock.Interlock;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Acquires and releases five uncontended locks at once. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MultiKeyBenchmark {
    private final Interlock interlock = Interlock.over(InMemoryBackend.create());
    private final List<LockKey> keys = Stream.of("c", "a", "e", "b", "d")
            .map(id -> LockKey.of("bench", id))
            .toList();
    private final Semaphore[] semaphores =
            Stream.generate(() -> new Semaphore(1, true)).limit(5).toArray(Semaphore[]::new);

    /** Interlock: one request, which sorts the keys. */
    @Benchmark
    public long interlock() {
        try (LeaseSet leases = interlock.locks().with(keys).acquire()) {
            return leases.keys().size();
        }
    }

    /** Five fair semaphores, sorted beforehand. */
    @Benchmark
    public long semaphores() {
        for (Semaphore semaphore : semaphores) {
            semaphore.acquireUninterruptibly();
        }
        for (Semaphore semaphore : semaphores) {
            semaphore.release();
        }
        return semaphores.length;
    }

    /** Stops Interlock's threads. */
    @TearDown
    public void close() {
        interlock.close();
    }
}
