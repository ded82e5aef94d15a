package dev.interlock.internal.lock;

import dev.interlock.lock.LockKey;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The lock types of the keys that a scope holds, as numbers and as one bit set, so that many types are compared at
 * once.
 *
 * <p>Code in a loop usually holds the same keys each time, except for the innermost ones, so the result of the last
 * time is reused where possible. Immutable.
 */
final class HeldTypes {
    /** Stands for the number of a type that has none, because there are more types than bits. */
    static final int NONE = -1;

    /** Numbers are below this. */
    static final int MAX_NUMBERS = Long.SIZE;

    private final LockKey[] keys;
    private final int[] numbers;
    private final long bits;
    private final boolean complete;

    private HeldTypes(LockKey[] keys, int[] numbers) {
        this.keys = keys;
        this.numbers = numbers;
        long all = 0;
        boolean numbered = true;
        for (int number : numbers) {
            if (number == NONE) {
                numbered = false;
            } else {
                all |= 1L << number;
            }
        }
        this.bits = all;
        this.complete = numbered;
    }

    /** The types of these keys. Reuses the result of the last time. */
    static HeldTypes of(List<LockKey> held, @Nullable HeldTypes last, ToIntFunction<LockKey> numberOf) {
        if (last != null && last.isOf(held)) {
            return last;
        }
        LockKey[] keys = held.toArray(LockKey[]::new);
        int[] numbers = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            numbers[i] = last != null && i < last.keys.length && last.keys[i].equals(keys[i])
                    ? last.numbers[i]
                    : numberOf.applyAsInt(keys[i]);
        }
        return new HeldTypes(keys, numbers);
    }

    private boolean isOf(List<LockKey> held) {
        if (held.size() != keys.length) {
            return false;
        }
        for (int i = 0; i < keys.length; i++) {
            if (!keys[i].equals(held.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether all types are in this set; false if a type has no number. */
    boolean areAmong(long types) {
        return complete && (bits & ~types) == 0;
    }

    /** The number of the type of the key at this index. */
    int number(int index) {
        return numbers[index];
    }
}
