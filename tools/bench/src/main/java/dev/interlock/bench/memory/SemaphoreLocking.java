package dev.interlock.bench.memory;

import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** Fair binary semaphores by name: the minimal implementation of a lock that, like a lease, no thread owns. */
final class SemaphoreLocking implements Locking {
    private final ConcurrentHashMap<String, Semaphore> semaphores = new ConcurrentHashMap<>();

    @Override
    public LockGuard guard(String name) {
        Semaphore semaphore = of(name);
        return section -> {
            semaphore.acquireUninterruptibly();
            try {
                section.run();
            } finally {
                semaphore.release();
            }
        };
    }

    @Override
    public LockGuard guardAll(List<String> names) {
        Semaphore[] inOrder = names.stream().sorted().map(this::of).toArray(Semaphore[]::new);
        return section -> {
            for (Semaphore semaphore : inOrder) {
                semaphore.acquireUninterruptibly();
            }
            try {
                section.run();
            } finally {
                for (Semaphore semaphore : inOrder) {
                    semaphore.release();
                }
            }
        };
    }

    @Override
    public Runnable hold(String name) {
        Semaphore semaphore = of(name);
        semaphore.acquireUninterruptibly();
        return () -> {
            semaphore.release();
            semaphores.remove(name);
        };
    }

    private Semaphore of(String name) {
        return semaphores.computeIfAbsent(name, any -> new Semaphore(1, true));
    }

    @Override
    public void close() {}
}
