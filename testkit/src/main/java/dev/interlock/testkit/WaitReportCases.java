package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.WAIT_REPORTS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.LockStore;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Wait reports, which processes exchange through the store for deadlock detection. */
@Requires(WAIT_REPORTS)
abstract class WaitReportCases {
    private final TckCase tck;

    WaitReportCases(TckCase tck) {
        this.tck = tck;
    }

    private static WaitReportExchange writing(Duration lifetime, WaitReport... reports) {
        return new WaitReportExchange(List.of(reports), List.of(), lifetime, false);
    }

    private static WaitReportExchange removing(String... ids) {
        return new WaitReportExchange(List.of(), List.of(ids), TckCase.LONG, false);
    }

    @Test
    void everyProcessReadsAllWaitReports() {
        StoreProcess one = tck.process();
        StoreProcess other = tck.process();
        WaitReport first = new WaitReport("a-1", "first");
        WaitReport second = new WaitReport("b-1", "second");
        assertThat(one.exchange(WaitReportExchange.reading()))
                .as("reports before the first write")
                .isEmpty();
        assertThat(one.exchange(writing(TckCase.LONG, first)))
                .as("reports returned by an exchange that does not read")
                .isEmpty();
        assertThat(other.exchange(new WaitReportExchange(List.of(second), List.of(), TckCase.LONG, true)))
                .containsExactlyInAnyOrder(first, second);
        assertThat(one.exchange(WaitReportExchange.reading())).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void waitReportIsReplacedByItsNextVersionAndCanBeRemoved() {
        StoreProcess one = tck.process();
        one.exchange(writing(TckCase.LONG, new WaitReport("a-1", "old"), new WaitReport("a-2", "stays")));
        one.exchange(writing(TckCase.LONG, new WaitReport("a-1", "new")));
        assertThat(one.exchange(WaitReportExchange.reading()))
                .containsExactlyInAnyOrder(new WaitReport("a-1", "new"), new WaitReport("a-2", "stays"));
        one.exchange(removing("a-1", "unknown"));
        assertThat(one.exchange(WaitReportExchange.reading())).containsExactly(new WaitReport("a-2", "stays"));
    }

    @Test
    void waitReportExpiresUnlessItIsWrittenAgain() {
        StoreProcess one = tck.process();
        Duration lifetime = tck.lease();
        one.exchange(writing(lifetime, new WaitReport("a-1", "expired")));
        one.exchange(writing(TckCase.LONG, new WaitReport("a-2", "kept")));
        tck.passLease(lifetime);
        assertThat(one.exchange(WaitReportExchange.reading())).containsExactly(new WaitReport("a-2", "kept"));
        assertThat(tck.process().exchange(WaitReportExchange.reading())).containsExactly(new WaitReport("a-2", "kept"));
    }

    @Test
    void textIsReturnedUnchanged() {
        StoreProcess one = tck.process();
        String odd = "tab\tline\n'quote\" % {x} \\ # | \u00e4\u00f6 \u2603 \ud83d\ude00 -- ; DROP TABLE x\n";
        WaitReport strange = new WaitReport("A-1", odd);
        WaitReport empty = new WaitReport("a-1", "");
        WaitReport longest =
                new WaitReport("a-" + "1".repeat(WaitReport.MAX_ID - 2), "\u2603".repeat(WaitReport.MAX_TEXT));
        one.exchange(writing(TckCase.LONG, strange, empty, longest));
        assertThat(one.exchange(WaitReportExchange.reading())).containsExactlyInAnyOrder(strange, empty, longest);
    }

    @Test
    void wholeBatchIsWrittenAndRemovedAtOnce() {
        StoreProcess one = tck.process();
        List<WaitReport> many = IntStream.range(0, LockStore.MAX_BATCH)
                .mapToObj(i -> new WaitReport("a-" + i, "report " + i))
                .toList();
        List<String> ids = many.stream().map(WaitReport::id).toList();
        assertThat(one.exchange(new WaitReportExchange(many, List.of(), TckCase.LONG, true)))
                .containsExactlyInAnyOrderElementsOf(many);
        assertThat(one.exchange(new WaitReportExchange(List.of(), ids, TckCase.LONG, true)))
                .isEmpty();
    }

    @Test
    void waitReportsOfAnotherNamespaceAreNotVisible() {
        tck.process().exchange(writing(TckCase.LONG, new WaitReport("a-1", "here")));
        assertThat(tck.inOtherNamespace().locks().waitForGraph().waits())
                .as("waits of another namespace")
                .isEmpty();
    }
}
