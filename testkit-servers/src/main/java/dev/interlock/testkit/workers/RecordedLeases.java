package dev.interlock.testkit.workers;

import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The latest lease of each key in a worker. A holder may be idle long after a renewal, so renewals are recorded when
 * they happen and not only at the holder's next step.
 */
final class RecordedLeases {
    private final Map<LockKey, RecordedLease> latest = new ConcurrentHashMap<>();

    void began(LockKey key, RecordedLease recorded) {
        latest.put(key, recorded);
    }

    void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Renewed renewed) {
            for (LockKey key : renewed.keys()) {
                RecordedLease recorded = latest.get(key);
                if (recorded != null) {
                    recorded.recordRenewal();
                }
            }
        }
    }
}
