package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongBiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("server")
class LeasedWorkloadTest {
    private static final int LOCKS = 3;

    @TempDir
    Path folder;

    private final AtomicInteger calls = new AtomicInteger();

    @Test
    void callsOfTheLeaseCheckAreNotCounted() throws InterruptedException {
        try (BenchWorkload.ContenderRun bout = prepare((contender, names) -> {
            calls.addAndGet(1000);
            return names.size();
        })) {
            bout.turn(Duration.ZERO);

            assertThat(bout.turn(Duration.ZERO).get(Metric.CALLS_PER_SECOND)).isZero();
            assertThat(bout.turn(Duration.ZERO).get(Metric.CALLS_PER_SECOND)).isZero();
        }
        assertThat(calls).hasValue(3000);
    }

    @Test
    void leasesAreCheckedByTheNamesOfTheStep() throws InterruptedException {
        Set<String> expected = Set.of("bench:leased-0", "bench:leased-1", "bench:leased-2");
        try (BenchWorkload.ContenderRun bout = prepare((contender, names) -> names.equals(expected) ? LOCKS : 0)) {
            assertThat(bout.turn(Duration.ZERO).get(Metric.CALLS_PER_SECOND)).isNaN();
        }
    }

    @Test
    void leaseMissingOnTheServerIsReported() throws InterruptedException {
        try (BenchWorkload.ContenderRun bout = prepare((contender, names) -> LOCKS - 1)) {
            assertThatThrownBy(() -> bout.turn(Duration.ZERO))
                    .isInstanceOf(BenchException.class)
                    .hasMessage("local at leased lost leases: of 3 the server has 2");
        }
    }

    private BenchWorkload.ContenderRun prepare(ToLongBiFunction<String, Set<String>> held) {
        Contender contender = Contender.floor("local", () -> {
                    throw new AssertionError("opened by the process only");
                })
                .metered(() -> new ServerMeter.Reading(calls.get(), calls.get(), 0));
        return LeasedWorkload.of(
                        "leased",
                        LOCKS,
                        Duration.ofMillis(300),
                        List.of(contender),
                        List.of(Metric.CALLS_PER_SECOND),
                        any -> new BenchProcesses(
                                FileContenders.class,
                                () -> folder.resolve("lock").toString(),
                                Duration.ofSeconds(30),
                                List.of()),
                        held)
                .prepare(contender);
    }
}
