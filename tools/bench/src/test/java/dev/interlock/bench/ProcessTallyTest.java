package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ProcessTallyTest {
    @Test
    void encodedTallyDecodesToTheSame() {
        ProcessTally tally = new ProcessTally(5, 7, List.of(thread(10, 3_000_000), thread(20, 1_000_000)));

        assertThat(ProcessTally.decode(tally.encode())).isEqualTo(tally);
    }

    @Test
    void valuesCoverAllProcesses() {
        Sample sample = ProcessTally.sample(
                List.of(
                        new ProcessTally(500_000_000, 0, List.of(thread(10, 1_000_000), thread(20, 1_000_000))),
                        new ProcessTally(1_000_000_000, 0, List.of(thread(30, 1_000_000), thread(40, 9_000_000)))),
                99,
                new ServerMeter.Reading(208, 1000, 0.001));

        assertThat(sample.get(Metric.OPS)).isEqualTo(30 / 0.5 + 70);
        assertThat(sample.get(Metric.SHARE)).isEqualTo(4);
        assertThat(sample.get(Metric.P50)).isBetween(0.99, 1.01);
        assertThat(sample.get(Metric.P99)).isBetween(8.9, 9.1);
        // Each thread has one operation that was not counted, and two increments per operation.
        assertThat(sample.get(Metric.CALLS)).isEqualTo(2);
        assertThat(sample.get(Metric.LOST_UPDATES)).isEqualTo(208 - 99);
    }

    @Test
    void starvedThreadMakesTheShareInfinite() {
        Sample sample =
                ProcessTally.sample(List.of(new ProcessTally(1, 0, List.of(thread(0, 1), thread(9, 1)))), 0, null);

        assertThat(sample.get(Metric.SHARE)).isInfinite();
        assertThat(sample.get(Metric.CALLS)).isNaN();
    }

    private static ThreadTally thread(long operations, long waitNanos) {
        Histogram waits = new Histogram(LoopWorker.MAX_NANOS, LoopWorker.DIGITS);
        waits.recordValue(waitNanos);
        return new ThreadTally(operations, operations + 1, 2 * (operations + 1), waits, new Histogram(3), 1);
    }
}
