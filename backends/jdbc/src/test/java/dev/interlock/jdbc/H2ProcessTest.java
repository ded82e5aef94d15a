package dev.interlock.jdbc;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static dev.interlock.testkit.checked.CheckedRun.SLACK;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.workers.Acquired;
import dev.interlock.testkit.workers.Progress;
import dev.interlock.testkit.workers.Worker;
import dev.interlock.testkit.workers.WorkerLease;
import dev.interlock.testkit.workers.WorkerRequest;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.testkit.workers.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** H2 in a file that several processes of one machine share. The process that opens it first serves the others. */
@Timeout(150)
@Tag("full")
@Tag("server")
class H2ProcessTest {
    /** H2 writes commits to the file within half a second. */
    private static final Duration WRITTEN = Duration.ofSeconds(2);

    /** Until H2 lets another process serve and the pools have new connections. 5 to 14 seconds were seen. */
    private static final Duration SERVED_AGAIN = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    /**
     * This process serves the file. P01, P10: one of the two others is killed under load and again while it holds a
     * lock.
     */
    @Test
    void processesThatShareAFileExcludeEachOtherAndSurviveEachOther() {
        String url = "jdbc:h2:file:" + folder.resolve("locks") + ";AUTO_SERVER=TRUE";
        String namespace = UUID.randomUUID().toString();
        try (HikariDataSource pool = Pools.of(url, 4)) {
            JdbcBackend.builder(pool).createSchemaIfMissing().build();
            try (CheckedRun run = new CheckedRun(
                    () -> JdbcForWorkers.patiently(Pools.of(url, 4), namespace),
                    WorkerSetup.of(JdbcForWorkers.class, url, namespace))) {
                List<String> keys = List.of(run.key("a").name(), run.key("b").name());
                List<Worker> workers = run.workers().startMore(2);
                Worker survivor = workers.get(0);
                Worker victim = workers.get(1);
                Workload workload = new Workload(3, keys, LEASE, LEASE, Duration.ofMillis(5), true, false, 1);
                workers.forEach(worker -> worker.run(workload));
                workers.forEach(worker -> worker.awaitGrants(20, PATIENCE));
                Progress total = survivor.rest().plus(victim.rest());
                assertThat(total.errors()).as("undocumented errors").isZero();

                LockKey key = run.key("held");
                WorkerLease held = victim.acquire(WorkerRequest.of(key, LEASE, Duration.ZERO))
                        .lease();
                CompletableFuture<Acquired> waiting = survivor.acquireAsync(WorkerRequest.of(key, LEASE, PATIENCE));
                long killed = System.nanoTime();
                victim.kill();
                WorkerLease next =
                        survivor.await(waiting, PATIENCE.multipliedBy(2)).lease();
                assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(LEASE.plus(SLACK));
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(survivor.release(next)).isEqualTo(ReleaseResult.RELEASED);
                run.assertClean("H2 file of two processes, " + total.grants() + " grants", "kill");
            }
        }
    }

    /**
     * P01 for the serving process. Leases of the others survive, because they are longer than the switch to another
     * server.
     */
    @Test
    void anotherProcessServesTheFileWhenTheServingProcessIsKilled() {
        String url = "jdbc:h2:file:" + folder.resolve("served") + ";AUTO_SERVER=TRUE";
        String namespace = UUID.randomUUID().toString();
        try (HikariDataSource pool = Pools.of(url, 1)) {
            JdbcBackend.builder(pool).createSchemaIfMissing().build();
        }
        try (CheckedRun run = new CheckedRun(
                () -> JdbcForWorkers.patiently(Pools.of(url, 4), namespace),
                WorkerSetup.of(JdbcForWorkers.class, url, namespace))) {
            Worker serving = run.workers().startMore(1).get(0);
            List<Worker> others = run.workers().startMore(2);
            Worker holder = others.get(0);
            Worker waiter = others.get(1);
            LockKey key = run.key("held");
            WorkerLease held = holder.acquire(WorkerRequest.of(key, SERVED_AGAIN.multipliedBy(2), PATIENCE))
                    .lease();
            CompletableFuture<Acquired> waiting =
                    waiter.acquireAsync(WorkerRequest.of(key, LEASE, SERVED_AGAIN.multipliedBy(3)));
            CheckedRun.pass(WRITTEN);

            long killed = System.nanoTime();
            serving.kill();
            others.forEach(worker -> getsLocksAgain(worker, run.key("fresh")));
            Duration away = Duration.ofNanos(System.nanoTime() - killed);

            assertThat(holder.isHeld(held)).as("the lease goes on").isTrue();
            assertThat(waiting).as("another process waits for it").isNotDone();
            assertThat(holder.release(held)).isEqualTo(ReleaseResult.RELEASED);
            WorkerLease next = waiter.await(waiting, PATIENCE.multipliedBy(3)).lease();
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(waiter.release(next)).isEqualTo(ReleaseResult.RELEASED);
            run.assertClean("H2 file taken over after " + away.toMillis() + " ms", "kill");
        }
    }

    /** On existing or new connections. */
    private static void getsLocksAgain(Worker worker, LockKey key) {
        CheckedRun.until("locks can be had again", SERVED_AGAIN, () -> {
            Acquired acquired = worker.acquire(WorkerRequest.of(key, LEASE, LEASE));
            return acquired instanceof Acquired.Granted granted
                    && worker.release(granted.lease()) == ReleaseResult.RELEASED;
        });
    }
}
