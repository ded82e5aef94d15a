package dev.interlock.bench.jmh;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Acquires and releases an uncontended lock. The goal for Interlock in memory is 2 us. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FreeAcquireBenchmark {
    private final Interlock interlock = Interlock.over(InMemoryBackend.create());
    private final LockKey key = LockKey.of("bench", "free");
    private final Semaphore semaphore = new Semaphore(1, true);
    private final ReentrantLock lock = new ReentrantLock();

    /** Interlock with its default settings. */
    @Benchmark
    public long interlock() {
        try (Lease lease = interlock.locks().acquire(key)) {
            return lease.token().value();
        }
    }

    /** A fair semaphore. */
    @Benchmark
    public long semaphore() {
        semaphore.acquireUninterruptibly();
        try {
            return 1;
        } finally {
            semaphore.release();
        }
    }

    /** An unfair reentrant lock: the cheapest lock there is. */
    @Benchmark
    public long reentrantLock() {
        lock.lock();
        try {
            return 1;
        } finally {
            lock.unlock();
        }
    }

    /** Stops Interlock's threads. */
    @TearDown
    public void close() {
        interlock.close();
    }
}
