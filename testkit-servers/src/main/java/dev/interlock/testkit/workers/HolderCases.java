package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.workers.CriticalSection.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A holder is killed, paused or closed: when another worker gets its lock, and what the holder learns. */
abstract class HolderCases {
    private final ProcessCase run;

    HolderCases(ProcessCase run) {
        this.run = run;
    }

    @Test
    void lockOfAKilledHolderIsTakenOverAfterItsLease() {
        List<Worker> workers = run.start(2);
        Worker holder = workers.get(0);
        Worker successor = workers.get(1);
        LockKey key = run.key("kill");
        WorkerLease lease = holder.acquire(run.askOnce(key)).lease();
        holder.raise(lease);
        assertThat(holder.write(lease, 0, 1).accepted()).isTrue();
        CompletableFuture<CriticalSection.Report> waiting =
                successor.sectionAsync(CriticalSection.careless(run.ask(key)));

        holder.kill();
        long killed = System.nanoTime();
        CriticalSection.Report report = run.await(successor, waiting);

        assertThat(Duration.ofNanos(System.nanoTime() - killed))
                .as("takeover")
                .isLessThan(run.lease().plus(ProcessCase.SLACK));
        assertThat(report.outcome()).isEqualTo(Outcome.WRITTEN);
        assertThat(report.base()).as("value written by the killed holder").isEqualTo(1);
        assertThat(report.token()).isGreaterThan(lease.token());
        run.assertClean("P01 holder-kill", expected -> expected.injecting("kill"));
    }

    @Test
    void holderPausedForHalfItsLeaseKeepsTheLock() {
        List<Worker> workers = run.start(2);
        Worker holder = workers.get(0);
        Worker rival = workers.get(1);
        LockKey key = run.key("half");
        Duration half = run.lease().dividedBy(2);
        WorkerLease lease = holder.acquire(run.askOnce(key)).lease();
        CompletableFuture<Acquired> waiting = rival.acquireAsync(
                WorkerRequest.of(key, run.lease(), run.lease().plus(half)));

        holder.pause();
        run.pass(half);
        holder.resume();

        assertThat(holder.isHeld(lease)).as("held after half a lease").isTrue();
        assertThat(run.await(rival, waiting)).as("a whole lease later").isEqualTo(new Acquired.Busy());
        assertThat(holder.isHeld(lease)).isTrue();
        assertThat(holder.lost(lease)).as("false loss").isEmpty();
        assertThat(holder.release(lease)).isEqualTo(ReleaseResult.RELEASED);
        assertThat(rival.section(CriticalSection.careless(run.ask(key))).outcome())
                .isEqualTo(Outcome.WRITTEN);
        run.assertClean("P02 holder-pause-half", expected -> expected.injecting("pause"));
    }

    @Test
    void holderPausedForTwiceItsLeaseLearnsAtItsFirstStepAndCannotWrite() {
        List<Worker> workers = run.start(2);
        Worker holder = workers.get(0);
        Worker successor = workers.get(1);
        LockKey key = run.key("double");
        LockKey control = run.unfencedKey("double");
        WorkerLease lease = holder.acquire(run.askOnce(key)).lease();
        WorkerLease unfenced = holder.acquire(run.askOnce(control)).lease();
        holder.raise(lease);
        holder.raise(unfenced);
        long base = holder.read(lease).value();

        long paused = System.nanoTime();
        holder.pause();
        assertThat(successor.section(CriticalSection.careless(run.ask(key))).outcome())
                .isEqualTo(Outcome.WRITTEN);
        assertThat(successor.section(CriticalSection.careless(run.ask(control))).outcome())
                .isEqualTo(Outcome.WRITTEN);
        run.pass(run.lease().multipliedBy(2).minusNanos(System.nanoTime() - paused));
        holder.resume();

        assertThat(holder.isHeld(lease)).as("at the first step after the pause").isFalse();
        run.until("the holder is notified", () -> holder.lost(lease).isPresent());
        assertThat(holder.write(lease, base, 1).accepted()).as("stale write").isFalse();
        assertThat(holder.write(unfenced, base, 2).accepted())
                .as("stale write at the unfenced twin")
                .isTrue();
        assertThat(holder.release(lease)).isEqualTo(ReleaseResult.ALREADY_ENDED);
        assertThat(holder.release(unfenced)).isEqualTo(ReleaseResult.ALREADY_ENDED);
        Verdict verdict = run.assertClean("P03 holder-pause-double", expected -> expected.injecting("pause"));
        assertThat(verdict.figure(Figure.STALE_ACCEPTED)).isZero();
        assertThat(verdict.figure(Figure.CONTROL_STALE_ACCEPTED)).isPositive();
    }

    @Test
    void closingWhileHeldReleasesAtOnceAndNothingIsRenewedAfterwards() {
        List<Worker> workers = run.start(3);
        Worker holder = workers.get(0);
        Worker successor = workers.get(1);
        Worker rival = workers.get(2);
        LockKey key = run.key("close");
        WorkerLease lease = holder.acquire(run.askOnce(key)).lease();
        holder.raise(lease);
        CompletableFuture<Acquired> waiting = successor.acquireAsync(run.ask(key));
        assertThat(rival.acquire(run.askOnce(key))).isEqualTo(new Acquired.Busy());

        long closing = System.nanoTime();
        assertThat(holder.closeInterlock()).as("leases released by closing").isEqualTo(1);
        WorkerLease next = run.await(successor, waiting).lease();
        assertThat(Duration.ofNanos(System.nanoTime() - closing))
                .as("hand-over by closing")
                .isLessThan(run.lease().dividedBy(2));

        successor.raise(next);
        assertThat(holder.isHeld(lease)).isFalse();
        run.until(
                "the holder is notified of the close", () -> holder.lost(lease).equals(Optional.of(LossReason.CLOSED)));
        assertThat(holder.write(lease, 0, 1).accepted())
                .as("write after closing")
                .isFalse();
        assertThat(holder.acquire(run.askOnce(key))).isInstanceOf(Acquired.Failed.class);
        // A renewal of the closed lease would show here: the successor's lease lasts only because the successor renews
        // it.
        assertThat(rival.acquire(WorkerRequest.of(key, run.lease(), run.lease())))
                .isEqualTo(new Acquired.Busy());
        assertThat(successor.isHeld(next)).isTrue();
        assertThat(successor.release(next)).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean("P15 close-while-held", expected -> expected);
    }
}
