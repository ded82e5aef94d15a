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
 * Counters for threads of several processes, in a memory-mapped file.
 *
 * <p>Reads and writes are volatile, so that a process sees earlier writes of the others. An update still takes two
 * steps.
 */
final class SharedCounters implements Counters {
    private static final int STRIDE_BYTES = 128;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer cells;

    private SharedCounters(ByteBuffer cells) {
        this.cells = cells;
    }

    /** Maps the counters of this file. Creates the file if it does not exist. */
    static SharedCounters in(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new SharedCounters(channel.map(MapMode.READ_WRITE, 0, (long) COUNT * STRIDE_BYTES));
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
