package dev.interlock.internal.runtime;

import dev.interlock.spi.Environment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Parks the thread of a caller until its request is settled.
 *
 * <p>An environment that also implements this parks such threads itself. A test can then advance its clock while its
 * only thread waits for a lock. Not for applications: a thread that is never unparked hangs its caller.
 *
 * <p>The rules are those of {@link LockSupport}: a thread that is unparked before it parks does not park, an
 * interrupt ends the wait and stays set, and a wait may end without a reason.
 */
public interface Parking {
    /** Parks the current thread until it is unparked or interrupted. */
    void park(Object blocker);

    /** Unparks the thread, or makes its next wait return at once. Does nothing for null. */
    void unpark(@Nullable Thread thread);

    /** The parking of this environment if it has one, otherwise {@link LockSupport}. */
    static Parking of(Environment environment) {
        return environment instanceof Parking own ? own : RealParking.INSTANCE;
    }
}
