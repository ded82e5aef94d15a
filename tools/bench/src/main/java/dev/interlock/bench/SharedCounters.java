package dev.interlock.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counters for the threads of several processes, in a file that all of them map.
 *
 * <p>Reads and writes are volatile, so that a process sees what the one before it wrote; an update is still two steps.
 */
final class SharedCounters implements Counters {
    private static final int STRIDE_BYTES = 128;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer cells;

    private SharedCounters(ByteBuffer cells) {
        this.cells = cells;
    }

    /** Those in this file, which is made if it is missing. */
    static SharedCounters in(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new SharedCounters(channel.map(MapMode.READ_WRITE, 0, (long) MOST * STRIDE_BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not map " + file, e);
        }
    }

    @Override
    public long read(int number) {
        return (long) LONG.getVolatile(cells, number * STRIDE_BYTES);
    }

    @Override
    public void write(int number, long value) {
        LONG.setVolatile(cells, number * STRIDE_BYTES, value);
    }
}
