package dev.interlock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Proves that the checker works: each planted bug is caught by the invariant that it breaks. */
@Tag("full")
class PlantedHistoryBugsTest {
    private static final int SEEDS = 10;
    private static final Duration LENGTH = Duration.ofSeconds(20);
    private static final List<String> TABLE = new ArrayList<>();

    private record Detection(long operations, double seconds) {}

    @ParameterizedTest
    @EnumSource
    void plantedBugIsCaughtByItsInvariant(PlantedBug bug) {
        List<Detection> detections = new ArrayList<>();
        Set<Invariant> others = EnumSet.noneOf(Invariant.class);
        for (long seed = 1; seed <= SEEDS; seed++) {
            History history = ModelRun.run(seed, bug, LENGTH);
            Verdict verdict = new HistoryChecker(ModelRun.EXPECTED).check(history);
            verdict.violations().forEach(violation -> others.add(violation.invariant()));
            verdict.violations().stream()
                    .filter(violation -> violation.invariant() == bug.caughtBy)
                    .map(Violation::proven)
                    .min(Duration::compareTo)
                    .ifPresent(proven -> detections.add(detection(history, proven)));
        }
        others.remove(bug.caughtBy);
        TABLE.add(row(bug, detections, others));
        assertThat(detections)
                .as("%s in %d seeds; caught by %s", bug, SEEDS, others)
                .isNotEmpty();
    }

    @Test
    void everyInvariantHasAPlantedBug() {
        assertThat(Arrays.stream(PlantedBug.values()).map(bug -> bug.caughtBy)).contains(Invariant.values());
    }

    @AfterAll
    static void printTable() {
        System.getLogger("history")
                .log(
                        System.Logger.Level.INFO,
                        "Planted bugs\n"
                                + String.format(
                                        Locale.ROOT,
                                        "%-34s %-26s %9s %11s %11s  %s%n",
                                        "bug",
                                        "caught by",
                                        "seeds",
                                        "median ops",
                                        "median s",
                                        "also by")
                                + String.join("\n", TABLE));
    }

    private static Detection detection(History history, Duration proven) {
        long until = history.times[history.order[0]] + proven.toNanos();
        long operations = 0;
        for (int event : history.order) {
            long header = history.headers[event];
            boolean asked = Op.of(header) == Op.ACQUIRE && Op.Phase.of(header) == Op.Phase.INVOKE;
            operations += asked && history.times[event] <= until ? 1 : 0;
        }
        return new Detection(operations, proven.toNanos() / 1e9);
    }

    private static String row(PlantedBug bug, List<Detection> detections, Set<Invariant> others) {
        StringBuilder also = new StringBuilder();
        others.forEach(other ->
                also.append(other.title(), 0, other.title().indexOf(' ')).append(' '));
        return String.format(
                Locale.ROOT,
                "%-34s %-26s %4d/%-4d %11.0f %11.2f  %s",
                bug.description(),
                bug.caughtBy.title(),
                detections.size(),
                SEEDS,
                median(detections.stream().mapToDouble(Detection::operations).toArray()),
                median(detections.stream().mapToDouble(Detection::seconds).toArray()),
                also);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values.length == 0 ? Double.NaN : values[(values.length - 1) / 2];
    }
}
