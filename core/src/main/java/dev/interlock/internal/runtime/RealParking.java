package dev.interlock.internal.runtime;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Parks with {@link LockSupport}. */
enum RealParking implements Parking {
    INSTANCE;

    @Override
    public void park(Object blocker) {
        LockSupport.park(blocker);
    }

    @Override
    public void unpark(@Nullable Thread thread) {
        LockSupport.unpark(thread);
    }
}
