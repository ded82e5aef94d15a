package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Invariant;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.workers.Section.Outcome;
import dev.interlock.testkit.workers.Section.Point;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A holder that stands still between its check and its write, which no lock can prevent: the resource has to refuse.
 *
 * <pre>
 *   holder     |== check: held ==|........ paused ........|  write: refused, or accepted by the unfenced twin
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
        Section fenced = Section.careless(run.ask(run.key("check")));
        Section unfenced = Section.careless(run.ask(run.unfencedKey("check")));
        holder.stopAt(Point.CHECKED);
        CompletableFuture<Section.Report> late = holder.sectionAsync(fenced);
        CompletableFuture<Section.Report> lateUnfenced = holder.sectionAsync(unfenced);
        holder.awaitReached(Point.CHECKED, 2);

        holder.pause();
        assertThat(successor.section(fenced).outcome()).isEqualTo(Outcome.WRITTEN);
        assertThat(successor.section(unfenced).outcome()).isEqualTo(Outcome.WRITTEN);
        holder.proceed(Point.CHECKED);
        holder.resume();

        Section.Report report = run.await(holder, late);
        assertThat(report.held()).as("what the check had said").isTrue();
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
        Section fenced = Section.careless(run.ask(run.key("raise")));
        Section unfenced = Section.careless(run.ask(run.unfencedKey("raise")));
        List<Section.Report> reports = crossing(List.of(fenced, unfenced));

        assertThat(reports)
                .extracting(Section.Report::outcome)
                .containsExactly(Outcome.STALE, Outcome.WRITTEN, Outcome.WRITTEN, Outcome.WRITTEN);
        Verdict verdict =
                run.assertClean("P05 pause-before-first-write-of-successor", expected -> expected.injecting("pause"));
        assertThat(verdict.figure(Figure.LOST_UPDATES)).isZero();
        assertThat(verdict.figure(Figure.CONTROL_LOST_UPDATES))
                .as("lost updates at the unfenced twin")
                .isPositive();
    }

    /** The control of the case above: the same without the raise loses an update, and the checker sees it. */
    @Test
    void staleWriteBeforeTheSuccessorsFirstWriteLosesAnUpdateIfTheFenceWasNotRaised() {
        Section careless = Section.careless(run.ask(run.key("no-raise"))).withoutRaise();
        List<Section.Report> reports = crossing(List.of(careless));

        assertThat(reports).extracting(Section.Report::outcome).containsOnly(Outcome.WRITTEN);
        Verdict verdict =
                run.judge("P05 without raise: an update must be lost", expected -> expected.injecting("pause"));
        assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.VIOLATED);
        assertThat(verdict.count(Invariant.H4_NO_LOST_UPDATE)).isPositive();
        assertThat(verdict.count(Invariant.H3_NO_STALE_EFFECT))
                .as("tokens did not fall")
                .isZero();
    }

    /**
     * The holder reads and is paused; the successor reads; the holder writes; the successor writes. Gives the reports of the
     * holder, then those of the successor, in the order of the sections.
     */
    private List<Section.Report> crossing(List<Section> sections) {
        List<Worker> workers = run.start(2);
        Worker holder = workers.get(0);
        Worker successor = workers.get(1);
        List<CompletableFuture<Section.Report>> first = begin(holder, sections);
        holder.pause();
        List<CompletableFuture<Section.Report>> second = begin(successor, sections);
        holder.proceed(Point.CHECKED);
        holder.resume();
        List<Section.Report> late =
                first.stream().map(one -> run.await(holder, one)).toList();
        successor.proceed(Point.CHECKED);
        return Stream.concat(late.stream(), second.stream().map(one -> run.await(successor, one)))
                .toList();
    }

    private static List<CompletableFuture<Section.Report>> begin(Worker worker, List<Section> sections) {
        worker.stopAt(Point.CHECKED);
        List<CompletableFuture<Section.Report>> begun =
                sections.stream().map(worker::sectionAsync).toList();
        worker.awaitReached(Point.CHECKED, sections.size());
        return begun;
    }
}
