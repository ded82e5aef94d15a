package dev.interlock.testkit.history;

import java.util.Arrays;

/**
 * The first event for each pair of key and number, for example a token. Avoids boxing; four to eight bytes per pair.
 */
final class EventTable {
    private final History history;
    private final long[] numbers;
    private int[] slots = new int[1024];
    private int size;

    /** Creates a table over these numbers, a column of the history. */
    EventTable(History history, long[] numbers) {
        this.history = history;
        this.numbers = numbers;
    }

    /** Returns the event that was present, or -1 if this event is the first and was added. */
    int putIfAbsent(int event) {
        int at = place(Op.name(history.headers[event]), numbers[event]);
        if (slots[at] != 0) {
            return slots[at] - 1;
        }
        slots[at] = event + 1;
        if (++size > slots.length / 2) {
            grow();
        }
        return -1;
    }

    /** Returns the event for this pair, or -1. */
    int find(int key, long number) {
        return slots[place(key, number)] - 1;
    }

    private int place(int key, long number) {
        int mask = slots.length - 1;
        int at = (int) LongTable.mix(number * 31 + key) & mask;
        while (slots[at] != 0 && !matches(slots[at] - 1, key, number)) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private boolean matches(int event, int key, long number) {
        return numbers[event] == number && Op.name(history.headers[event]) == key;
    }

    private void grow() {
        int[] old = slots;
        slots = new int[old.length * 2];
        Arrays.stream(old)
                .filter(event -> event != 0)
                .forEach(event -> slots[place(Op.name(history.headers[event - 1]), numbers[event - 1])] = event);
    }
}
