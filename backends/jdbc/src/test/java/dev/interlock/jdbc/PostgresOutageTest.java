package dev.interlock.jdbc;

import static dev.interlock.testkit.faults.Matching.anyPush;
import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.JudgedRun.Injected;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

class PostgresOutageTest extends OutageCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    PostgresOutageTest() {
        super(database);
    }

    /** N18. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void waitersWithoutPushesGoOnByTheirHeartbeat() {
        LockKey key = run.key("n18");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        client.acquire(key).release();
        Duration longest = Duration.ZERO;
        try (Injected deaf = run.inject("lost push", () -> run.proxy().drop(anyPush()))) {
            for (int i = 0; i < 4; i++) {
                JudgedClient.Held holder = other.acquire(key);
                CompletableFuture<JudgedClient.Held> waiting = client.acquireAsync(Ask.of(key, LEASE, PATIENCE));
                until("it waits in the queue", () -> run.hasQueue(key));
                holder.finish();
                Duration waited =
                        JudgedRun.timed(() -> JudgedClient.await(waiting).finish());
                longest = waited.compareTo(longest) > 0 ? waited : longest;
            }
            assertThat(deaf.fault().acted()).as("pushes lost").isPositive();
        }
        assertThat(longest).as("longest wait after the release").isLessThan(LEASE);
        run.assertClean("N18 push-only-loss: longest wait after a release " + longest.toMillis() + " ms", "lost push");
    }
}
