package dev.interlock.memory;

import dev.interlock.lock.LockMode;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Locks inside one process: the embedded default, the test double, and the reference implementation of the SPI.
 *
 * <p>Everything that opens the same backend object shares its locks. Tokens start at the wall clock's microseconds, so
 * they also grow over a restart unless the clock steps back; promised is the life of the process only.
 */
public final class InMemoryBackend implements Backend {
    private static final StoreCapabilities CAPABILITIES = new StoreCapabilities(
            StoreCapabilities.Tokens.PROCESS,
            StoreCapabilities.Ownership.PER_GRANT,
            StoreCapabilities.MultiKey.ONE_TRIP,
            StoreCapabilities.Queue.SERVER,
            StoreCapabilities.Push.GRANTS,
            Set.of(LockMode.values()),
            true,
            Duration.ZERO,
            true,
            true,
            true);

    private final LockTable table;

    private InMemoryBackend(LockTable table) {
        this.table = table;
    }

    /** A backend with no locks in it. */
    public static InMemoryBackend create() {
        Instant now = Instant.now();
        long micros = Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000L), now.getNano() / 1_000);
        return new InMemoryBackend(new LockTable(System::nanoTime, micros));
    }

    /**
     * A backend on a clock of the caller's, for tests: leases end when that clock says so.
     *
     * @param nanos elapsed time in nanoseconds, never going back
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

    /** Does nothing: the locks belong to everyone who has this object. */
    @Override
    public void close() {}
}
