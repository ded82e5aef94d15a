package dev.interlock.bench;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What one thread counted in one turn. Travels between processes as one word.
 *
 * @param operations those completed while it was counted
 * @param allOperations all of the turn, counted or not
 * @param increments of counters, all of the turn
 * @param waits from asking for a lock to holding it, in nanoseconds
 * @param batches the time in nanoseconds from one timed operation to the next
 * @param timedEvery how many operations are in a batch
 */
record Tally(long operations, long allOperations, long increments, Histogram waits, Histogram batches, int timedEvery) {
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

    static Tally decode(String word) {
        String[] parts = word.split(SEPARATOR, -1);
        return new Tally(
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
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), BenchWorker.LONGEST_NANOS);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("Not a histogram: " + text, e);
        }
    }
}
