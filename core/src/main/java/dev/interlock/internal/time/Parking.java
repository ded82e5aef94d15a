package dev.interlock.internal.time;

import dev.interlock.spi.Surroundings;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How a caller's thread waits for its request to be settled.
 *
 * <p>Surroundings that implement this as well are told of each such wait. That lets a test's time go on while the only thread
 * that could move it waits for a lock. Not for applications: a wait that is never woken hangs its caller.
 *
 * <p>The rules are those of {@link LockSupport}: a thread that is woken before it parks does not park, an interrupt ends the
 * wait and stays set, and a wait may end for no reason.
 */
public interface Parking {
    /** Waits until this thread is woken or interrupted. */
    void park(Object blocker);

    /** Wakes the thread, or lets its next wait return at once; nothing to do for null. */
    void unpark(@Nullable Thread thread);

    /** The parking that these surroundings bring along, otherwise the real one. */
    static Parking of(Surroundings surroundings) {
        return surroundings instanceof Parking own ? own : RealParking.INSTANCE;
    }
}
