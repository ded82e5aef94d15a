package dev.interlock.bench.memory;

import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** Fair semaphores of one permit by name: the floor for a lock that, like a lease, no thread owns. */
final class SemaphoreLocking implements Locking {
    private final ConcurrentHashMap<String, Semaphore> semaphores = new ConcurrentHashMap<>();

    @Override
    public Guard guard(String name) {
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
    public Guard guardAll(List<String> names) {
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
