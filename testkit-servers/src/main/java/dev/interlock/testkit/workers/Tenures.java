package dev.interlock.testkit.workers;

import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The latest tenure of each key in a worker. A holder may sit still long after its lease was renewed, so that is written down when it
 * happens and not only at its next step.
 */
final class Tenures {
    private final Map<LockKey, Tenure> latest = new ConcurrentHashMap<>();

    void began(LockKey key, Tenure tenure) {
        latest.put(key, tenure);
    }

    void told(LockEvent event) {
        if (event instanceof LockEvent.Renewed renewed) {
            for (LockKey key : renewed.keys()) {
                Tenure tenure = latest.get(key);
                if (tenure != null) {
                    tenure.noteRenewal();
                }
            }
        }
    }
}
