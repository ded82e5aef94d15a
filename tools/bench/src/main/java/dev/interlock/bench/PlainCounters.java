package dev.interlock.bench;

/**
 * Counters for the threads of one process.
 *
 * <p>Each counter has its own cache lines, so that threads with different locks do not slow each other down.
 */
final class PlainCounters implements Counters {
    private static final int STRIDE = 16;

    private final long[] cells = new long[COUNT * STRIDE];

    @Override
    public long read(int number) {
        return cells[number * STRIDE];
    }

    @Override
    public void write(int number, long value) {
        cells[number * STRIDE] = value;
    }
}
