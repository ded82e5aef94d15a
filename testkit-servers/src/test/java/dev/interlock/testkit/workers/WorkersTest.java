package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.HistoryChecker;
import dev.interlock.testkit.process.Ports;
import dev.interlock.testkit.workers.CriticalSection.Outcome;
import dev.interlock.testkit.workers.CriticalSection.Point;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
@Tag("server")
class WorkersTest {
    @RegisterExtension
    static final StoreServer SERVER = new StoreServer();

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final LockKey KEY = LockKey.of("fenced", "a b=c%\u00e4");

    private static WorkerSetup setup() {
        return WorkerSetup.of(
                SocketBackend.ForWorkers.class, Integer.toString(SERVER.port()), "workers " + UUID.randomUUID());
    }

    private static WorkerRequest ask() {
        return WorkerRequest.of(KEY, LEASE, Duration.ZERO);
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private static Workload workload() {
        return new Workload(4, List.of("fenced:a", "unfenced:b"), LEASE, LEASE, Duration.ofMillis(1), true, true, 1);
    }

    @Test
    void workersExcludeEachOtherAndExecuteCommands() {
        try (Workers workers = Workers.start(2, setup())) {
            Worker one = workers.get(0);
            Worker two = workers.get(1);
            WorkerLease lease = one.acquire(ask()).lease();
            assertThat(two.acquire(ask())).isEqualTo(new Acquired.Busy());
            assertThat(one.isHeld(lease)).isTrue();
            assertThat(one.raise(lease)).isEqualTo(new ResourceAnswer(true, 0, lease.token()));
            assertThat(one.read(lease).value()).isZero();
            assertThat(one.write(lease, 0, 5)).isEqualTo(new ResourceAnswer(true, 5, lease.token()));
            assertThat(one.release(lease)).isEqualTo(ReleaseResult.RELEASED);
            assertThat(two.acquire(ask()).lease().token()).isGreaterThan(lease.token());
        }
    }

    @Test
    void waitingWorkerExecutesOtherCommands() {
        try (Workers workers = Workers.start(2, setup())) {
            WorkerLease lease = workers.get(0).acquire(ask()).lease();
            CompletableFuture<Acquired> waiting =
                    workers.get(1).acquireAsync(WorkerRequest.of(KEY, LEASE, Duration.ofSeconds(20)));
            assertThat(workers.get(1).progress().grants()).isZero();
            assertThat(waiting).isNotDone();
            workers.get(0).release(lease);
            workers.get(1).await(waiting, Duration.ofSeconds(20)).lease();
        }
    }

    @Test
    void sectionStopsAtThePointUntilItIsResumed() {
        try (Workers workers = Workers.start(1, setup())) {
            Worker worker = workers.get(0);
            for (Point point : Point.values()) {
                worker.stopAt(point);
                CompletableFuture<CriticalSection.Report> section =
                        worker.sectionAsync(CriticalSection.careless(ask()));
                worker.awaitReached(point, 1);
                assertThat(section).isNotDone();
                worker.proceed(point);
                assertThat(worker.await(section, LEASE).outcome()).isEqualTo(Outcome.WRITTEN);
            }
        }
    }

    @Test
    void killLosesNoHistory() {
        try (Workers workers = Workers.start(1, setup())) {
            Worker worker = workers.get(0);
            worker.run(workload());
            assertThat(worker.awaitGrants(50, PATIENCE)).as("grants per second").isPositive();
            long seen = worker.progress().grants();
            worker.kill();
            assertThat(worker.isAlive()).isFalse();
            assertThat(new HistoryChecker(Expectations.strict())
                            .check(workers.history())
                            .figure(Figure.GRANTS))
                    .isGreaterThanOrEqualTo(seen);
            assertThatThrownBy(worker::progress)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("worker 1 has ended");
        }
    }

    @Test
    void idleWorkerFailsTheGateBeforeAFault() {
        try (Workers workers = Workers.start(1, setup())) {
            assertThatThrownBy(() -> workers.get(0).awaitGrants(1, Duration.ofMillis(50)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("worker 1 was granted 0 locks in PT0.05S, not 1");
        }
    }

    @Test
    void pausedWorkerDoesNothingUntilItIsResumed() {
        try (Workers workers = Workers.start(1, setup())) {
            Worker worker = workers.get(0);
            worker.pause();
            CompletableFuture<Acquired> asked = worker.acquireAsync(ask());
            assertThat(asked).isNotDone();
            worker.resume();
            worker.await(asked, PATIENCE).lease();
            assertThatThrownBy(worker::resume).hasMessage("worker 1 is not paused.");
        }
    }

    @Test
    void workloadContinuesWhenTheStoreIsCutOffAndCountsItSeparately() {
        try (StoreServer server = new StoreServer().start()) {
            WorkerSetup setup = WorkerSetup.of(SocketBackend.ForWorkers.class, Integer.toString(server.port()), "cut");
            try (Workers workers = Workers.start(1, setup)) {
                Worker worker = workers.get(0);
                worker.run(workload());
                worker.awaitGrants(20, PATIENCE);
                server.kill();
                await().atMost(PATIENCE).until(() -> worker.progress().of(Outcome.UNAVAILABLE) >= 5);
                server.start();
                worker.awaitGrants(20, PATIENCE);
                Progress progress = worker.rest();
                assertThat(progress.errors()).as(worker.errors()).isZero();
            }
        }
    }

    @Test
    void processesAndFilesAreGoneWhenTheWorkersAreClosed() {
        List<Long> pids = new ArrayList<>();
        Workers workers = Workers.start(2, setup());
        workers.all().forEach(worker -> pids.add(worker.pid()));
        pids.add(workers.fenced().pid());
        pids.add(workers.unfenced().pid());
        assertThat(pids).allMatch(pid -> ProcessHandle.of(pid).isPresent());
        workers.get(0).pause();
        workers.close();
        assertThat(pids).noneMatch(WorkersTest::isAlive);
        assertThat(Files.exists(workers.get(0).log())).isFalse();
    }

    @Test
    void workerThatCannotStartReportsWhy() {
        assertThatThrownBy(() -> Workers.start(1, WorkerSetup.of("no.such.Backend", "", "")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("worker 1 ended before it reported \"ready\"")
                .hasMessageContaining("no.such.Backend is not a public class");
    }

    @Test
    void storeThatIsNotThereIsUnavailableAndNotBusy() {
        WorkerSetup nowhere = WorkerSetup.of(SocketBackend.ForWorkers.class, Integer.toString(Ports.free()), "nowhere");
        try (Workers workers = Workers.start(1, nowhere)) {
            assertThat(workers.get(0).acquire(ask())).isInstanceOf(Acquired.Unavailable.class);
        }
    }
}
