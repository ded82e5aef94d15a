package dev.interlock.memory;

import dev.interlock.lock.LockMode;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * A backend that keeps its locks in the memory of this process.
 *
 * <p>Use it in tests and in applications with a single process. It is also the reference implementation of the SPI.
 * Every {@code Interlock} that is opened over the same object shares its locks. Closing the backend does not affect
 * them.
 *
 * <p>Fencing tokens are guaranteed to grow only while the process lives. The first grant number is the wall-clock time
 * in microseconds, so tokens also grow across a restart unless the clock was set back.
 *
 * <p>Thread-safe. Every call completes at once, and there is no connection to lose.
 *
 * @since 0.1.0
 */
public final class InMemoryBackend implements Backend {
    private static final StoreCapabilities CAPABILITIES = StoreCapabilities.builder()
            .tokens(StoreCapabilities.Tokens.PROCESS)
            .multiKey(StoreCapabilities.MultiKey.ATOMIC)
            .queue(StoreCapabilities.Queue.SERVER)
            .push(StoreCapabilities.Push.GRANTS)
            .modes(EnumSet.allOf(LockMode.class))
            .lockDelay(true)
            .introspection(true)
            .forcedRelease(true)
            .waitReports(true)
            .build();

    private final LockTable table;

    private InMemoryBackend(LockTable table) {
        this.table = table;
    }

    /** Returns a new backend without locks. */
    public static InMemoryBackend create() {
        Instant now = Instant.now();
        long micros = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000L), now.getNano() / 1_000);
        return new InMemoryBackend(new LockTable(System::nanoTime, micros));
    }

    /**
     * Returns a new backend that uses the given clock, for tests. Leases end when that clock says so.
     *
     * @param nanos a monotonic time in nanoseconds
     * @param firstGrant the number of the first grant
     */
    public static InMemoryBackend create(LongSupplier nanos, long firstGrant) {
        Objects.requireNonNull(nanos, "nanos is null: give a clock");
        return new InMemoryBackend(new LockTable(nanos, firstGrant));
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return new InMemoryLockStore(table, context);
    }

    /** Does nothing: other {@code Interlock}s may use the same locks. */
    @Override
    public void close() {}
}
