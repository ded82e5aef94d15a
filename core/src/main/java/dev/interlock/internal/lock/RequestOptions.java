package dev.interlock.internal.lock;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.spi.Claim;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of a request besides keys and times. */
record RequestOptions(
        LockMode mode,
        int permits,
        int capacity,
        boolean reentrant,
        boolean interruptOnLoss,
        @Nullable EngineScope scope) {
    static final RequestOptions STANDARD = new RequestOptions(LockMode.EXCLUSIVE, 1, 1, false, false, null);

    RequestOptions withMode(LockMode newMode, int newPermits, int newCapacity) {
        return new RequestOptions(newMode, newPermits, newCapacity, reentrant, interruptOnLoss, scope);
    }

    RequestOptions withReentry() {
        return new RequestOptions(mode, permits, capacity, true, interruptOnLoss, scope);
    }

    RequestOptions withInterruptOnLoss() {
        return new RequestOptions(mode, permits, capacity, reentrant, true, scope);
    }

    RequestOptions withScope(EngineScope newScope) {
        return new RequestOptions(mode, permits, capacity, reentrant, interruptOnLoss, newScope);
    }

    List<Claim> claims(List<LockKey> keys, ResolvedSettings settings) {
        if (keys.size() == 1) {
            return List.of(claim(keys.get(0), settings));
        }
        List<Claim> claims = new ArrayList<>(keys.size());
        for (LockKey key : keys) {
            claims.add(claim(key, settings));
        }
        return claims;
    }

    private Claim claim(LockKey key, ResolvedSettings settings) {
        return new Claim(key, mode, permits, capacity, settings.leaseFor(), settings.lockDelay());
    }
}
