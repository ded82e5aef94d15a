package dev.interlock.internal.lock;

import dev.interlock.lock.LockKey;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The lock types of the keys that a scope holds, as numbers and as one set of bits, so that many types are compared at once.
 *
 * <p>Code in a loop holds the same keys each time it asks for the next, or all but the innermost ones; so what was found out last time is looked at first.
 * Immutable.
 */
final class HeldTypes {
    /** The number of a type that has none: there are more types than bits. */
    static final int NONE = -1;

    /** Numbers are smaller than this. */
    static final int MOST = Long.SIZE;

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

    /** Those of these keys, with what is known of them from last time. */
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

    /** Whether all of them are among these types; false also if some have no number. */
    boolean areAmong(long types) {
        return complete && (bits & ~types) == 0;
    }

    /** The number of the type of the key at this place. */
    int number(int index) {
        return numbers[index];
    }
}
