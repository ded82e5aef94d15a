package dev.interlock.internal.lock;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockScope;
import dev.interlock.lock.WaitForGraph.Held;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The holds of one unit of work, in the global order of keys.
 *
 * <p>A hold that is lost, or whose last lease is being closed, may still be listed for a moment and does not count.
 */
final class EngineScope implements LockScope {
    private final String name;
    private final long number;

    /** Weak: a thread keeps its scope alive, and the scope must not keep the thread-local of a closed engine alive. */
    private final WeakReference<ThreadLocal<EngineScope>> current;

    private final ReentrantLock mutex = new ReentrantLock();
    private final TreeMap<LockKey, Hold> holds;

    /** Whether there are no holds. Written under the mutex; every request reads it without the mutex. */
    private volatile boolean empty = true;

    /** The types of the keys held at the last check, for reuse. It knows for which keys it is valid. */
    private volatile @Nullable HeldTypes types;

    EngineScope(String name, long number, ThreadLocal<EngineScope> current, LockOrder order) {
        this.name = name;
        this.number = number;
        this.current = new WeakReference<>(current);
        this.holds = new TreeMap<>(order);
    }

    boolean belongsTo(ThreadLocal<EngineScope> home) {
        return current.refersTo(home);
    }

    void add(Hold hold) {
        mutex.lock();
        try {
            for (int i = 0; i < hold.size(); i++) {
                holds.put(hold.grant(i).key(), hold);
            }
            empty = false;
        } finally {
            mutex.unlock();
        }
    }

    void remove(Hold hold) {
        mutex.lock();
        try {
            for (int i = 0; i < hold.size(); i++) {
                holds.remove(hold.grant(i).key(), hold);
            }
            empty = holds.isEmpty();
        } finally {
            mutex.unlock();
        }
    }

    @Nullable
    Hold holding(LockKey key) {
        mutex.lock();
        try {
            Hold hold = holds.get(key);
            return hold != null && hold.isInUse() ? hold : null;
        } finally {
            mutex.unlock();
        }
    }

    /** Whether the scope holds nothing: the usual case, which needs no checks. */
    boolean isEmpty() {
        return empty;
    }

    /** Unique within the engine. */
    long number() {
        return number;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<LockKey> held() {
        mutex.lock();
        try {
            List<LockKey> keys = new ArrayList<>(holds.size());
            for (Map.Entry<LockKey, Hold> entry : holds.entrySet()) {
                if (entry.getValue().isInUse()) {
                    keys.add(entry.getKey());
                }
            }
            return keys;
        } finally {
            mutex.unlock();
        }
    }

    /** The types of these keys, which the scope holds. */
    HeldTypes typesOf(List<LockKey> held, ToIntFunction<LockKey> numberOf) {
        HeldTypes last = types;
        HeldTypes now = HeldTypes.of(held, last, numberOf);
        if (now != last) {
            types = now;
        }
        return now;
    }

    /** The keys, modes and tokens of the valid holds. */
    List<Held> heldWithTokens(long nowNanos) {
        mutex.lock();
        try {
            List<Held> held = new ArrayList<>(holds.size());
            holds.forEach((key, hold) -> {
                if (hold.isInUse() && hold.isValid(nowNanos)) {
                    held.add(hold.heldOn(key));
                }
            });
            return held;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public <E extends Exception> void run(ScopedAction<E> action) throws E {
        this.<Boolean, E>call(() -> {
            action.run();
            return true;
        });
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(ScopedFunction<T, E> function) throws E {
        ThreadLocal<EngineScope> ofThread = current.get();
        if (ofThread == null) {
            return function.call(); // the engine is gone, so no request can use this scope
        }
        EngineScope before = ofThread.get();
        ofThread.set(this);
        try {
            return function.call();
        } finally {
            ofThread.set(before);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
