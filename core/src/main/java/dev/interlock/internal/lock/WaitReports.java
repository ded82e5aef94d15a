package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.ReportedWait;
import dev.interlock.lock.WaitForGraph;
import dev.interlock.lock.WaitForGraph.Wait;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The wait reports of all processes: through the store if it keeps them, otherwise only those of this process. */
final class WaitReports {
    private final StoreAccess access;
    private volatile List<WaitReport> own = List.of();

    WaitReports(StoreAccess access) {
        this.access = access;
    }

    /** Sets the current wait reports of this process. */
    void setOwn(List<WaitReport> reports) {
        own = reports;
    }

    CompletionStage<List<WaitReport>> exchange(WaitReportExchange exchange) {
        return access.capabilities().waitReports()
                ? access.store().exchange(exchange)
                : CompletableFuture.completedFuture(exchange.read() ? own : List.of());
    }

    /** The waits among these reports; verdicts and unreadable reports are left out. */
    static List<ReportedWait> parse(List<WaitReport> reports) {
        return reports.stream()
                .flatMap(report -> ReportedWait.read(report).stream())
                .toList();
    }

    static WaitForGraph graph(List<ReportedWait> waits, Instant takenAt) {
        return new WaitForGraph(
                takenAt,
                waits.stream()
                        .map(ReportedWait::described)
                        .sorted(Comparator.comparing(Wait::since).thenComparing(Wait::id))
                        .toList());
    }
}
