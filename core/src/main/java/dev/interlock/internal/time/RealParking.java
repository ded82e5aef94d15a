package dev.interlock.internal.time;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Parks for real. */
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
