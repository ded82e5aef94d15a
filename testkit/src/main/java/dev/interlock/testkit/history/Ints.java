package dev.interlock.testkit.history;

import java.util.Arrays;

/** A growing array of ints. A value that was never set is zero. */
final class Ints {
    private int[] values;
    private int size;

    Ints() {
        this(64);
    }

    Ints(int expected) {
        this.values = new int[expected];
    }

    int get(int index) {
        return index < values.length ? values[index] : 0;
    }

    void set(int index, int value) {
        if (index >= values.length) {
            values = Arrays.copyOf(values, Math.max(index + 1, values.length + (values.length >> 1)));
        }
        values[index] = value;
        size = Math.max(size, index + 1);
    }

    int add(int value) {
        set(size, value);
        return size - 1;
    }

    /** Replaces this value by the last one. */
    void removeAt(int index) {
        values[index] = values[--size];
        values[size] = 0;
    }

    int size() {
        return size;
    }
}
