package dev.interlock.bench.memory;

import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Fair reentrant locks by name: the minimal implementation of a lock that a thread owns. */
final class ReentrantLocking implements Locking {
    private final ConcurrentHashMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    @Override
    public LockGuard guard(String name) {
        ReentrantLock lock = of(name);
        return section -> {
            lock.lock();
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        };
    }

    @Override
    public LockGuard guardAll(List<String> names) {
        ReentrantLock[] inOrder = names.stream().sorted().map(this::of).toArray(ReentrantLock[]::new);
        return section -> {
            for (ReentrantLock lock : inOrder) {
                lock.lock();
            }
            try {
                section.run();
            } finally {
                for (ReentrantLock lock : inOrder) {
                    lock.unlock();
                }
            }
        };
    }

    @Override
    public Runnable hold(String name) {
        ReentrantLock lock = of(name);
        lock.lock();
        return () -> {
            lock.unlock();
            locks.remove(name);
        };
    }

    private ReentrantLock of(String name) {
        return locks.computeIfAbsent(name, any -> new ReentrantLock(true));
    }

    @Override
    public void close() {}
}
