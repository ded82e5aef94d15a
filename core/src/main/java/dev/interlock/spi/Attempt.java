package dev.interlock.spi;

import dev.interlock.lock.OwnerId;
import java.time.Duration;
import java.util.List;

/**
 * One try to take keys, in order, as many as can be had.
 *
 * @param id names the attempt and owns its grants; asking again with the same id gives the same answer, not a second grant
 * @param claims the keys still wanted, in the global order; at least one
 * @param held grants of the same request that must still be there; they are extended in the same step, and if one is
 *     gone nothing new is granted
 * @param enqueue whether to queue at the first busy key; only for stores that queue
 * @param tokenFloor every grant number must be larger than this
 * @param heardWithin how long a queued waiter stays without being heard of, and how long a grant that was handed to a
 *     waiter stays without being renewed
 * @param patience how long the caller goes on waiting; a store may drop the waiter afterwards
 * @param label what the process calls itself, for operators
 */
public record Attempt(
        OwnerId id,
        List<Claim> claims,
        List<Renewal> held,
        boolean enqueue,
        long tokenFloor,
        Duration heardWithin,
        Duration patience,
        String label) {}
