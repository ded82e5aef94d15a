package dev.interlock.testkit.history;

/** Sorts events by time with a radix sort: linear, stable, no boxing. */
final class TimeOrder {
    private static final int BITS = 11;
    private static final int BUCKETS = 1 << BITS;

    private TimeOrder() {}

    /** Returns the positions of the first {@code size} times, earliest first. Equal times keep their order. */
    static int[] of(long[] times, int size) {
        int[] order = new int[size];
        boolean sorted = true;
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (int i = 0; i < size; i++) {
            order[i] = i;
            sorted &= i == 0 || times[i - 1] <= times[i];
            least = Math.min(least, times[i]);
            most = Math.max(most, times[i]);
        }
        return sorted ? order : sort(times, order, least, most - least);
    }

    private static int[] sort(long[] times, int[] order, long least, long range) {
        int size = order.length;
        long[] keys = new long[size];
        for (int i = 0; i < size; i++) {
            keys[i] = times[i] - least;
        }
        long[] otherKeys = new long[size];
        int[] otherOrder = new int[size];
        for (int shift = 0; shift < Long.SIZE && range >>> shift != 0; shift += BITS) {
            int[] starts = starts(keys, shift);
            for (int i = 0; i < size; i++) {
                int to = starts[(int) (keys[i] >>> shift) & (BUCKETS - 1)]++;
                otherKeys[to] = keys[i];
                otherOrder[to] = order[i];
            }
            long[] sortedKeys = otherKeys;
            otherKeys = keys;
            keys = sortedKeys;
            int[] sortedOrder = otherOrder;
            otherOrder = order;
            order = sortedOrder;
        }
        return order;
    }

    private static int[] starts(long[] keys, int shift) {
        int[] starts = new int[BUCKETS];
        for (long key : keys) {
            starts[(int) (key >>> shift) & (BUCKETS - 1)]++;
        }
        int from = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            int count = starts[bucket];
            starts[bucket] = from;
            from += count;
        }
        return starts;
    }
}
