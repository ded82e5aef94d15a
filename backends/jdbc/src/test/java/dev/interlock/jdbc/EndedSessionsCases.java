package dev.interlock.jdbc;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.workers.Ask;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every session of the database is ended, so nobody else may be at work in it: S01. */
@Timeout(90)
abstract class EndedSessionsCases extends FaultCases {
    private final FaultDatabase database;

    EndedSessionsCases(FaultDatabase database) {
        super(database);
        this.database = database;
    }

    /** S01. Every session is ended, again and again, while locks are held, renewed and waited for: nobody but the pool should notice. */
    @Test
    void endedSessionsCostNoLeaseAndFailNoCaller() throws Exception {
        LockKey key = run.key("s01");
        LockKey waited = run.key("s01-waited");
        JudgedClient client = run.client("one");
        JudgedClient other = run.client("two");
        JudgedClient.Held held = client.acquire(key);
        JudgedClient.Held holder = other.acquire(waited);
        CompletableFuture<JudgedClient.Held> waiting = client.acquireAsync(Ask.of(waited, LEASE, PATIENCE));
        until("it waits in the queue", () -> run.hasQueue(waited));
        for (int i = 0; i < 4; i++) {
            run.strike("ended sessions", () -> {
                try {
                    return database.endSessions();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            // Whoever comes now gets a pool of dead connections.
            other.acquire(Ask.of(run.key("s01-" + i), LEASE, PATIENCE)).finish();
        }
        held.awaitRenewal();
        holder.finish();
        JudgedClient.await(waiting).finish();
        assertThat(held.lost()).isNull();
        held.finish();
        run.assertClean("S01 backend-terminated", "ended sessions");
    }
}
