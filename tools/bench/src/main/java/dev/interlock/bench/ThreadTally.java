package dev.interlock.bench;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What one thread counted in one turn. Encoded as one word between processes.
 *
 * @param operations completed while counting
 * @param allOperations all operations of the turn
 * @param increments increments of guarded counters in the whole turn
 * @param waits times from the request for a lock until it is held, in nanoseconds
 * @param batches times from one timed operation to the next, in nanoseconds
 * @param timedEvery the number of operations in a batch
 */
record ThreadTally(
        long operations, long allOperations, long increments, Histogram waits, Histogram batches, int timedEvery) {
    private static final String SEPARATOR = ",";

    String encode() {
        return String.join(
                SEPARATOR,
                List.of(
                        Long.toString(operations),
                        Long.toString(allOperations),
                        Long.toString(increments),
                        encode(waits),
                        encode(batches),
                        Integer.toString(timedEvery)));
    }

    static ThreadTally decode(String word) {
        String[] parts = word.split(SEPARATOR, -1);
        return new ThreadTally(
                Long.parseLong(parts[0]),
                Long.parseLong(parts[1]),
                Long.parseLong(parts[2]),
                decodeHistogram(parts[3]),
                decodeHistogram(parts[4]),
                Integer.parseInt(parts[5]));
    }

    private static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    private static Histogram decodeHistogram(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), LoopWorker.MAX_NANOS);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("Not a histogram: " + text, e);
        }
    }
}
