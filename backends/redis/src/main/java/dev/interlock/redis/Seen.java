package dev.interlock.redis;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The largest grant number of each counter that this process knows of. Every script gets it: a counter that is not above it has been
 * lost or set back, whatever the reason, and is raised to the server's clock before it is used.
 */
final class Seen {
    private final AtomicLongArray numbers;

    Seen(int slots) {
        numbers = new AtomicLongArray(slots);
    }

    long at(int slot) {
        return numbers.get(slot);
    }

    void raise(int slot, long number) {
        long known = numbers.get(slot);
        while (known < number && !numbers.compareAndSet(slot, known, number)) {
            known = numbers.get(slot);
        }
    }
}
