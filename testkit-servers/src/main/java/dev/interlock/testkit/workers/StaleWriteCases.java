package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Invariant;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.workers.CriticalSection.Outcome;
import dev.interlock.testkit.workers.CriticalSection.Point;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A holder is paused between its check and its write, which no lock can prevent: the resource must reject the write.
 *
 * <pre>
 *   holder     |== check: held ==|........ paused ........|  write: rejected, or accepted by the unfenced twin
 *   successor                          |== raise, read ==          == write ==|
 * </pre>
 */
abstract class StaleWriteCases {
    private final ProcessCase run;

    StaleWriteCases(ProcessCase run) {
        this.run = run;
    }

    @Test
    void pauseBetweenCheckAndWriteIsStoppedByTheResource() {
        List<Worker> workers = run.start(2);
        Worker holder = workers.get(0);
        Worker successor = workers.get(1);
        CriticalSection fenced = CriticalSection.careless(run.ask(run.key("check")));
        CriticalSection unfenced = CriticalSection.careless(run.ask(run.unfencedKey("check")));
        holder.stopAt(Point.CHECKED);
        CompletableFuture<CriticalSection.Report> late = holder.sectionAsync(fenced);
        CompletableFuture<CriticalSection.Report> lateUnfenced = holder.sectionAsync(unfenced);
        holder.awaitReached(Point.CHECKED, 2);

        holder.pause();
        assertThat(successor.section(fenced).outcome()).isEqualTo(Outcome.WRITTEN);
        assertThat(successor.section(unfenced).outcome()).isEqualTo(Outcome.WRITTEN);
        holder.proceed(Point.CHECKED);
        holder.resume();

        CriticalSection.Report report = run.await(holder, late);
        assertThat(report.held()).as("result of the check").isTrue();
        assertThat(report.outcome()).isEqualTo(Outcome.STALE);
        assertThat(run.await(holder, lateUnfenced).outcome())
                .as("at the unfenced twin")
                .isEqualTo(Outcome.WRITTEN);
        Verdict verdict = run.assertClean("P04 pause-between-check-and-write", expected -> expected.injecting("pause"));
        assertThat(verdict.figure(Figure.STALE_REFUSED)).isPositive();
        assertThat(verdict.figure(Figure.CONTROL_STALE_ACCEPTED)).isPositive();
    }

    @Test
    void staleWriteBeforeTheSuccessorsFirstWriteIsRefusedIfTheFenceWasRaised() {
        CriticalSection fenced = CriticalSection.careless(run.ask(run.key("raise")));
        CriticalSection unfenced = CriticalSection.careless(run.ask(run.unfencedKey("raise")));
        List<CriticalSection.Report> reports = crossing(List.of(fenced, unfenced));

        assertThat(reports)
                .extracting(CriticalSection.Report::outcome)
                .containsExactly(Outcome.STALE, Outcome.WRITTEN, Outcome.WRITTEN, Outcome.WRITTEN);
        Verdict verdict =
                run.assertClean("P05 pause-before-first-write-of-successor", expected -> expected.injecting("pause"));
        assertThat(verdict.figure(Figure.LOST_UPDATES)).isZero();
        assertThat(verdict.figure(Figure.CONTROL_LOST_UPDATES))
                .as("lost updates at the unfenced twin")
                .isPositive();
    }

    /** The control of the case above: without the raise the same sequence loses an update, and the checker finds it. */
    @Test
    void staleWriteBeforeTheSuccessorsFirstWriteLosesAnUpdateIfTheFenceWasNotRaised() {
        CriticalSection careless =
                CriticalSection.careless(run.ask(run.key("no-raise"))).withoutRaise();
        List<CriticalSection.Report> reports = crossing(List.of(careless));

        assertThat(reports).extracting(CriticalSection.Report::outcome).containsOnly(Outcome.WRITTEN);
        Verdict verdict =
                run.check("P05 without raise: an update must be lost", expected -> expected.injecting("pause"));
        assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.VIOLATED);
        assertThat(verdict.count(Invariant.H4_NO_LOST_UPDATE)).isPositive();
        assertThat(verdict.count(Invariant.H3_NO_STALE_EFFECT))
                .as("tokens did not fall")
                .isZero();
    }

    /**
     * The holder reads and is paused; the successor reads; the holder writes; the successor writes. Returns the reports
     * of the holder, then those of the successor, in the order of the sections.
     */
    private List<CriticalSection.Report> crossing(List<CriticalSection> sections) {
        List<Worker> workers = run.start(2);
        Worker holder = workers.get(0);
        Worker successor = workers.get(1);
        List<CompletableFuture<CriticalSection.Report>> first = begin(holder, sections);
        holder.pause();
        List<CompletableFuture<CriticalSection.Report>> second = begin(successor, sections);
        holder.proceed(Point.CHECKED);
        holder.resume();
        List<CriticalSection.Report> late =
                first.stream().map(one -> run.await(holder, one)).toList();
        successor.proceed(Point.CHECKED);
        return Stream.concat(late.stream(), second.stream().map(one -> run.await(successor, one)))
                .toList();
    }

    private static List<CompletableFuture<CriticalSection.Report>> begin(
            Worker worker, List<CriticalSection> sections) {
        worker.stopAt(Point.CHECKED);
        List<CompletableFuture<CriticalSection.Report>> begun =
                sections.stream().map(worker::sectionAsync).toList();
        worker.awaitReached(Point.CHECKED, sections.size());
        return begun;
    }
}
