package dev.interlock.spi;

import dev.interlock.lock.OwnerId;
import java.time.Duration;
import java.util.List;

/**
 * One call that acquires as many keys of a request as are free, in order.
 *
 * <p>An attempt has an id, so the engine can repeat it when its answer was lost: the store gives the same answer again
 * and makes no second grant.
 *
 * @param id identifies the attempt and owns its grants
 * @param claims the keys that are still missing, in the lock order; at least one
 * @param held grants of the same request that must still exist. The store extends them in the same step. If one of them
 *     is gone, the store grants nothing.
 * @param enqueue whether the store queues the attempt at the first busy key. Only set for stores with
 *     {@link StoreCapabilities.Queue#SERVER}
 * @param tokenFloor the number of every new grant must be greater than this
 * @param heartbeatWithin a queued waiter loses its place if no heartbeat arrives for this long. It is also the length
 *     of the provisional lease that a waiter gets
 * @param patience how much longer the caller waits; the store may drop the waiter afterwards
 * @param label the name of the process, for operators
 * @since 0.1.0
 */
public record Attempt(
        OwnerId id,
        List<Claim> claims,
        List<Renewal> held,
        boolean enqueue,
        long tokenFloor,
        Duration heartbeatWithin,
        Duration patience,
        String label) {}
