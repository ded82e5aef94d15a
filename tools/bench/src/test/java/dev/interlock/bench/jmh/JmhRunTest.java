package dev.interlock.bench.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.bench.SuiteResult.Ratio;
import dev.interlock.bench.jmh.JmhRun.Score;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class JmhRunTest {
    @Test
    void interlockIsDividedByTheOtherMethodsOfItsClass() {
        List<Ratio> ratios = JmhRun.ratios(List.of(
                new Score("HotKey", "fairSemaphore", "ops", 10),
                new Score("HotKey", "interlock", "ops", 40),
                new Score("HotKey", "interlockStrict", "ops", 20),
                new Score("Free", "interlock", "ns", 1000)));

        assertThat(ratios)
                .extracting(Ratio::line)
                .containsExactly(
                        "RATIO jmh.HotKey.ops.vs_fairSemaphore 4", "RATIO jmh.HotKeyStrict.ops.vs_fairSemaphore 2");
    }

    @Test
    void benchmarksRun() {
        FreeAcquireBenchmark free = new FreeAcquireBenchmark();
        HotKeyBenchmark hot = new HotKeyBenchmark();
        MultiKeyBenchmark multi = new MultiKeyBenchmark();
        try {
            assertThat(free.interlock()).isPositive();
            assertThat(free.semaphore() + free.reentrantLock()).isEqualTo(2);
            assertThat(List.of(hot.interlock(), hot.interlockStrict(), hot.fairSemaphore(), hot.fairReentrantLock()))
                    .containsExactly(1L, 2L, 3L, 4L);
            assertThat(multi.interlock()).isEqualTo(multi.semaphores()).isEqualTo(5);
        } finally {
            free.close();
            hot.close();
            multi.close();
        }
    }
}
