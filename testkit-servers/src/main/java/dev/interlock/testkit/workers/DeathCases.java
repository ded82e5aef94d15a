package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Workers are killed while a request is in transit. What they leave behind ends with their leases and affects no other
 * worker.
 */
abstract class DeathCases {
    private static final int VICTIMS = 4;
    private static final int KEYS = 40;

    /** The grants of a victim that show that it is working. */
    private static final int WARM = 100;

    private final ProcessCase run;

    DeathCases(ProcessCase run) {
        this.run = run;
    }

    private List<LockKey> keys(String name) {
        return IntStream.range(0, KEYS).mapToObj(i -> run.key(name + i)).toList();
    }

    @Test
    void killDuringAcquireLeavesNothingBehindAfterTheLease() {
        List<Worker> workers = run.start(1 + VICTIMS);
        Worker successor = workers.get(0);
        List<LockKey> keys = keys("acquire-");
        List<String> names = keys.stream().map(LockKey::name).toList();
        for (int i = 1; i <= VICTIMS; i++) {
            workers.get(i).run(new Workload(8, names, run.lease(), run.lease(), Duration.ofMillis(1), true, false, i));
        }
        List<Worker> victims = workers.subList(1, workers.size());
        victims.forEach(victim -> victim.awaitGrants(WARM, run.patience().plus(ProcessCase.SLACK)));
        victims.forEach(Worker::kill);

        long killed = System.nanoTime();
        List<CompletableFuture<Acquired>> wanted =
                keys.stream().map(key -> successor.acquireAsync(run.ask(key))).toList();
        List<WorkerLease> leases = new ArrayList<>();
        wanted.forEach(one -> leases.add(run.await(successor, one).lease()));
        Duration oldest = Duration.ofNanos(System.nanoTime() - killed);
        assertThat(oldest).as("age of the oldest orphan").isLessThan(run.lease().plus(ProcessCase.SLACK));
        leases.forEach(lease -> assertThat(successor.release(lease)).isEqualTo(ReleaseResult.RELEASED));
        run.assertClean("P10 kill-during-acquire: oldest orphan " + oldest, expected -> expected.injecting("kill"));
    }

    @Test
    void killDuringReleaseHurtsNoOtherHolder() {
        List<Worker> workers = run.start(3);
        Worker victim = workers.get(0);
        Worker successor = workers.get(1);
        Worker rival = workers.get(2);
        List<LockKey> keys = keys("release-");
        List<WorkerLease> dying = keys.stream()
                .map(key -> victim.acquire(run.askOnce(key)).lease())
                .toList();
        List<CompletableFuture<Acquired>> waiting =
                keys.stream().map(key -> successor.acquireAsync(run.ask(key))).toList();

        List<CompletableFuture<ReleaseResult>> releases =
                dying.stream().map(victim::releaseAsync).toList();
        run.await(victim, CompletableFuture.anyOf(releases.toArray(CompletableFuture[]::new)));
        victim.kill();
        long answered = releases.stream()
                .filter(one -> one.isDone() && !one.isCompletedExceptionally())
                .count();

        List<WorkerLease> leases = new ArrayList<>();
        waiting.forEach(one -> leases.add(run.await(successor, one).lease()));
        for (int i = 0; i < KEYS; i++) {
            assertThat(leases.get(i).token()).isGreaterThan(dying.get(i).token());
        }
        // A release of the killed worker that arrived late, or released the wrong grant, would admit the rival. Its
        // connection is open by now.
        WorkerLease first = rival.acquire(run.ask(run.key("rival"))).lease();
        assertThat(rival.release(first)).isEqualTo(ReleaseResult.RELEASED);
        List<CompletableFuture<Acquired>> rivals = keys.stream()
                .map(key -> rival.acquireAsync(WorkerRequest.of(key, run.lease(), run.lease())))
                .toList();
        rivals.forEach(one -> assertThat(run.await(rival, one)).isEqualTo(new Acquired.Busy()));
        leases.forEach(lease -> assertThat(successor.isHeld(lease)).isTrue());
        leases.forEach(lease -> assertThat(successor.release(lease)).isEqualTo(ReleaseResult.RELEASED));
        // On a slow machine all of the above may have been granted before the kill.
        WorkerLease next = rival.acquire(run.ask(keys.get(0))).lease();
        assertThat(rival.release(next)).isEqualTo(ReleaseResult.RELEASED);
        run.assertClean(
                "P11 kill-during-release: " + answered + " of " + KEYS + " releases were answered before the kill",
                expected -> expected.injecting("kill"));
    }
}
