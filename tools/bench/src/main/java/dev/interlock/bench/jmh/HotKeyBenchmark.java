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
import org.openjdk.jmh.annotations.Threads;

/** One lock passed between 32 threads. The goal for Interlock is half the throughput of a fair semaphore. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(32)
public class HotKeyBenchmark {
    private final Interlock interlock = Interlock.over(InMemoryBackend.create());
    private final Interlock strict =
            Interlock.builder(InMemoryBackend.create()).strictFifo().build();
    private final LockKey key = LockKey.of("bench", "hot");
    private final Semaphore semaphore = new Semaphore(1, true);
    private final ReentrantLock lock = new ReentrantLock(true);
    private long counter;

    /** Interlock with its default settings: a running thread may barge. */
    @Benchmark
    public long interlock() {
        try (Lease lease = interlock.locks().acquire(key)) {
            return ++counter;
        }
    }

    /** Interlock in strict arrival order. */
    @Benchmark
    public long interlockStrict() {
        try (Lease lease = strict.locks().acquire(key)) {
            return ++counter;
        }
    }

    /** A fair semaphore. */
    @Benchmark
    public long fairSemaphore() {
        semaphore.acquireUninterruptibly();
        try {
            return ++counter;
        } finally {
            semaphore.release();
        }
    }

    /** A fair reentrant lock. */
    @Benchmark
    public long fairReentrantLock() {
        lock.lock();
        try {
            return ++counter;
        } finally {
            lock.unlock();
        }
    }

    /** Stops Interlock's threads. */
    @TearDown
    public void close() {
        interlock.close();
        strict.close();
    }
}
