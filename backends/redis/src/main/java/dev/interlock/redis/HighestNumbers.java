package dev.interlock.redis;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The highest grant number of each counter that this process has seen. Every script receives it: a counter that is not
 * above it was lost or set back, whatever the reason, and the script raises it to the server's clock before it grants.
 *
 * <p>Invariant: a number never falls. Thread-safe.
 */
final class HighestNumbers {
    private final AtomicLongArray numbers;

    HighestNumbers(int slots) {
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
