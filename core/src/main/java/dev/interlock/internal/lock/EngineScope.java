package dev.interlock.internal.lock;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockScope;
import dev.interlock.spi.Claim;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** What one unit of work holds. A handful at most, so an array that is replaced as a whole. */
final class EngineScope implements LockScope {
    private static final Hold[] NOTHING = {};

    private final String name;
    private final ThreadLocal<EngineScope> current;
    private static final AtomicReferenceFieldUpdater<EngineScope, Hold[]> HOLDS =
            AtomicReferenceFieldUpdater.newUpdater(EngineScope.class, Hold[].class, "holds");

    private volatile Hold[] holds = NOTHING;

    EngineScope(String name, ThreadLocal<EngineScope> current) {
        this.name = name;
        this.current = current;
    }

    boolean belongsTo(ThreadLocal<EngineScope> home) {
        return current == home;
    }

    void add(Hold hold) {
        HOLDS.updateAndGet(this, now -> {
            if (Arrays.asList(now).contains(hold)) {
                return now;
            }
            Hold[] more = Arrays.copyOf(now, now.length + 1);
            more[now.length] = hold;
            return more;
        });
    }

    void remove(Hold hold) {
        HOLDS.updateAndGet(this, now -> {
            if (now.length == 1 && now[0] == hold) {
                return NOTHING;
            }
            return Arrays.stream(now).filter(other -> other != hold).toArray(Hold[]::new);
        });
    }

    @Nullable
    Hold holding(LockKey key) {
        for (Hold hold : holds) {
            if (hold.indexOf(key) >= 0 && hold.isLive()) {
                return hold;
            }
        }
        return null;
    }

    /** The key that comes last in the order among those held, or null. */
    @Nullable
    LockKey last(Comparator<LockKey> order) {
        LockKey last = null;
        for (Hold hold : holds) {
            if (hold.isLive()) {
                List<Claim> claims = hold.claims();
                LockKey candidate = claims.get(claims.size() - 1).key();
                if (last == null || order.compare(candidate, last) > 0) {
                    last = candidate;
                }
            }
        }
        return last;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<LockKey> held() {
        List<LockKey> keys = new ArrayList<>();
        for (Hold hold : holds) {
            if (hold.isLive()) {
                keys.addAll(hold.keys());
            }
        }
        return keys;
    }

    @Override
    public <E extends Exception> void run(ScopedAction<E> action) throws E {
        EngineScope before = current.get();
        current.set(this);
        try {
            action.run();
        } finally {
            current.set(before);
        }
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(ScopedFunction<T, E> function) throws E {
        EngineScope before = current.get();
        current.set(this);
        try {
            return function.call();
        } finally {
            current.set(before);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
