package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.HistoryChecker;
import dev.interlock.testkit.history.Invariant;
import dev.interlock.testkit.history.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Each case of the kit fails on a store with the bug that the case is about. */
@Timeout(120)
@Tag("full")
@Tag("server")
class PlantedBugsTest {
    @RegisterExtension
    static final StoreServer SERVER = new StoreServer();

    private static WorkerSetup workersWith(PlantedBug bug, String namespace) {
        return WorkerSetup.of(SocketBackend.ForWorkers.class, SERVER.port() + "/" + bug, namespace);
    }

    /** Runs one case on a store with the bug; it must fail for that reason. */
    private static void assertDetected(PlantedBug bug, String words, Consumer<ProcessCase> testCase) {
        ProcessTck kit = new ProcessTck() {
            @Override
            protected WorkerSetup workers(String namespace) {
                return workersWith(bug, namespace);
            }

            @Override
            protected Duration lease() {
                return Duration.ofSeconds(1);
            }
        };
        try (ProcessCase run = new ProcessCase(kit)) {
            assertThatThrownBy(() -> testCase.accept(run))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining(words);
        }
    }

    @Test
    void leasesThatNeverEndAreDetectedByTheTakeover() {
        assertDetected(
                PlantedBug.LEASES_NEVER_END,
                "takeover",
                run -> new HolderCases(run) {}.lockOfAKilledHolderIsTakenOverAfterItsLease());
    }

    @Test
    void leasesThatEndEarlyAreDetectedByThePausedHolder() {
        assertDetected(
                PlantedBug.LEASES_END_EARLY,
                "lease",
                run -> new HolderCases(run) {}.holderPausedForHalfItsLeaseKeepsTheLock());
    }

    @Test
    void waitersThatStayAreDetectedByTheNextWaiter() {
        assertDetected(
                PlantedBug.WAITERS_STAY,
                "a free lock was not granted in time",
                run -> new ProcessEndedWaitCases(run) {}.waiterThatTimedOutIsNeverGrantedLater());
    }

    @Test
    void locksWithoutExclusionAreDetectedByTheHistory() {
        WorkerSetup setup = workersWith(PlantedBug.NO_EXCLUSION, "planted");
        try (Workers workers = Workers.start(2, setup)) {
            Workload workload = new Workload(
                    2,
                    List.of("fenced:a"),
                    Duration.ofSeconds(3),
                    Duration.ofSeconds(1),
                    Duration.ofMillis(5),
                    true,
                    false,
                    1);
            workers.all().forEach(worker -> worker.run(workload));
            workers.all().forEach(worker -> worker.awaitGrants(20, Duration.ofSeconds(30)));
            workers.all().forEach(Worker::rest);
            Verdict verdict = new HistoryChecker(Expectations.strict()).check(workers.history());
            assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.VIOLATED);
            assertThat(verdict.count(Invariant.H2_WINDOW_EXCLUSIVITY)).isPositive();
        }
    }
}
