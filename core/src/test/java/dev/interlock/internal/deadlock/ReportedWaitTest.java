package dev.interlock.internal.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.WaitForGraph.Held;
import dev.interlock.lock.WaitForGraph.Wait;
import dev.interlock.spi.WaitReport;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Waits as wait reports, and back. */
class ReportedWaitTest {
    private static ReportedWait row(String process, String scope, List<Held> held) {
        Wait wait = new Wait(
                "e1-7",
                process,
                "e1-scope3",
                scope,
                LockKey.of("odd: #'\"\\ \u2603"),
                LockMode.SHARED,
                Instant.ofEpochMilli(1_700_000_000_123L),
                held,
                List.of(LockKey.of("gate")));
        return new ReportedWait(wait, 42);
    }

    private static Held held(String key) {
        return new Held(LockKey.of(key), LockMode.PERMITS, FencingToken.of(7, 3));
    }

    @Test
    void reportContainsTheWholeWait() {
        ReportedWait row = row("host/1", "thread main", List.of(held("a"), held("b c")));
        assertThat(ReportedWait.read(row.report())).contains(row);
        ReportedWait bare = row("host/1", "", List.of());
        assertThat(ReportedWait.read(bare.report())).contains(bare);
    }

    @Test
    void threadNamesMayContainAnyCharacter() {
        ReportedWait row = row("p", "thread\tx\ny\u0000z\ud800", List.of());
        ReportedWait read = ReportedWait.read(row.report()).orElseThrow();
        assertThat(read.described().scope()).isEqualTo("thread x y z ");
        assertThat(read.described().wanted()).isEqualTo(row.described().wanted());
    }

    @Test
    void linesThatDoNotFitAreLeftOut() {
        List<Held> many = IntStream.range(0, 1024)
                .mapToObj(i -> held(i + "x".repeat(400)))
                .toList();
        ReportedWait row = row("p", "s", many);
        assertThat(row.report().text().length()).isLessThanOrEqualTo(WaitReport.MAX_TEXT);
        assertThat(ReportedWait.read(row.report()).orElseThrow().described().held())
                .hasSizeBetween(100, 200);
    }

    @Test
    void reportsInAnotherFormatAreIgnored() {
        String good = row("p", "s", List.of(held("a"))).report().text();
        for (String bad : List.of(
                "",
                "wait2\t1",
                "wait1",
                "wait1\tx",
                good.replace("\t42\t", "\tmany\t"),
                good + "z\tq\n",
                good + "h\n",
                good.replace("SHARED", "HARD"),
                "verdict1\te1-7")) {
            assertThat(ReportedWait.read(new WaitReport("e1-7", bad))).as(bad).isEmpty();
        }
        assertThat(ReportedWait.read(new WaitReport("nodash", good))).isEmpty();
    }
}
