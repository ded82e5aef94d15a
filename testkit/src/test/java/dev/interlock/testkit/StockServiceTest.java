package dev.interlock.testkit;

import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.interlock.lock.FenceGuard;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.Locks;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.lock.StoreUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The sample of docs/guide/testing.md. */
class StockServiceTest {
    @RegisterExtension
    final InterlockWorld world = new InterlockWorld();

    private final Warehouse warehouse = new Warehouse();
    private final StockService service = new StockService(world.locks(), warehouse);
    private final LockKey key = LockKey.of("stock", "sku-1");

    @Test
    void doesNotOversellWhenPausedBetweenReadAndWrite() {
        StockService two = new StockService(world.another("two").locks(), warehouse);
        warehouse.script = () -> {
            world.pause(ofSeconds(40)); // longer than the lease
            assertTrue(two.sell("sku-1"));
        };
        assertThrows(StaleTokenException.class, () -> service.sell("sku-1"));
        assertEquals(1, warehouse.sold);
    }

    @Test
    void writesNothingWhenTheLockWasTakenOverUnnoticed() {
        warehouse.script = () -> warehouse.fence.raise(world.takeOver(key));
        assertThrows(StaleTokenException.class, () -> service.sell("sku-1"));
        assertEquals(0, warehouse.sold);
    }

    @Test
    void waitsWhileAnotherProcessSells() {
        world.busy(key, ofSeconds(3));
        assertTrue(service.sell("sku-1")); // waits for 3 s of the world's time
    }

    @Test
    void distinguishesBusyFromUnreachable() {
        Lease held = world.busy(key);
        assertThrows(LockTimeoutException.class, () -> service.sell("sku-1"));
        held.close();

        world.outage(Outage.REFUSED, ofSeconds(20));
        assertThrows(StoreUnavailableException.class, () -> service.sell("sku-1"));
        world.advance(ofSeconds(20));
        assertTrue(service.sell("sku-1"));
    }

    static final class StockService {
        private final Locks locks;
        private final Warehouse warehouse;

        StockService(Locks locks, Warehouse warehouse) {
            this.locks = locks;
            this.warehouse = warehouse;
        }

        boolean sell(String sku) {
            return locks.call(LockKey.of("stock", sku), lease -> {
                int left = warehouse.read(lease);
                if (left > 0) {
                    warehouse.write(left - 1, lease);
                }
                return left > 0;
            });
        }
    }

    /** The warehouse of the test. A script can run between read and write. */
    static final class Warehouse {
        final FenceGuard fence = new FenceGuard();
        int left = 1;
        int sold;
        Runnable script = () -> {};

        int read(Lease lease) {
            fence.raise(lease); // raise, read, write with check
            int seen = left;
            Runnable once = script;
            script = () -> {};
            once.run();
            return seen;
        }

        void write(int count, Lease lease) {
            fence.run(lease, () -> {
                left = count;
                sold++;
            });
        }
    }
}
