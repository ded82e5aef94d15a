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
 * What one unit of work holds, in the global order of keys.
 *
 * <p>A hold whose last lease is just being closed, or that is lost, may still stand here for a moment and does not count.
 */
final class EngineScope implements LockScope {
    private final String name;
    private final long number;

    /** Weakly, since a thread keeps its scope, and with it all of this, for as long as somebody keeps the key to it. */
    private final WeakReference<ThreadLocal<EngineScope>> current;

    private final ReentrantLock mutex = new ReentrantLock();
    private final TreeMap<LockKey, Hold> holds;

    /** Whether there are no holds; written under the mutex, and read without it by every request. */
    private volatile boolean empty = true;

    /** What was last found out about the keys held, for whoever looks next; it says itself of which keys it is. */
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

    /** Whether nothing is or was just held: the usual case, for which nothing needs to be checked. */
    boolean isEmpty() {
        return empty;
    }

    /** Tells it from all other scopes of its engine. */
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

    /** The types of these keys, which it holds. */
    HeldTypes typesOf(List<LockKey> held, ToIntFunction<LockKey> numberOf) {
        HeldTypes last = types;
        HeldTypes now = HeldTypes.of(held, last, numberOf);
        if (now != last) {
            types = now;
        }
        return now;
    }

    /** What this scope holds, and by which tokens. */
    List<Held> rights(long nowNanos) {
        mutex.lock();
        try {
            List<Held> rights = new ArrayList<>(holds.size());
            holds.forEach((key, hold) -> {
                if (hold.isInUse() && hold.isValid(nowNanos)) {
                    rights.add(hold.rightOn(key));
                }
            });
            return rights;
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
            return function.call(); // nobody is left who could ask for locks in it
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
