package dev.interlock.bench;

/**
 * Counters for the threads of one process.
 *
 * <p>Each has its own cache lines, or threads with different locks would slow each other down here.
 */
final class PlainCounters implements Counters {
    private static final int STRIDE = 16;

    private final long[] cells = new long[MOST * STRIDE];

    @Override
    public long read(int number) {
        return cells[number * STRIDE];
    }

    @Override
    public void write(int number, long value) {
        cells[number * STRIDE] = value;
    }
}
