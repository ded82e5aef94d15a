package dev.interlock.jdbc;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static dev.interlock.testkit.checked.CheckedRun.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.FaultRun;
import dev.interlock.testkit.workers.WorkerRequest;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An operator ends every session of the database, S01, so no other test may use it. */
@Timeout(90)
abstract class EndedSessionsCases {
    private final FaultDatabase database;

    EndedSessionsCases(FaultDatabase database) {
        this.database = database;
    }

    /**
     * S01. Every session is ended several times while locks are held, renewed and waited for. Only the pool notices.
     */
    @Test
    void endedSessionsCostNoLeaseAndFailNoCaller() {
        try (FaultRun run = new FaultRun(database)) {
            LockKey key = run.key("s01");
            LockKey waited = run.key("s01-waited");
            CheckedClient client = run.client("one");
            CheckedClient other = run.client("two");
            CheckedClient.Held held = client.acquire(key);
            CheckedClient.Held holder = other.acquire(waited);
            CompletableFuture<CheckedClient.Held> waiting =
                    client.acquireAsync(WorkerRequest.of(waited, LEASE, PATIENCE));
            until("the waiter is queued", () -> run.state().hasQueue(waited));
            for (int i = 0; i < 4; i++) {
                run.strike("ended sessions", proxy -> database.endSessions());
                // The next caller gets a pool of dead connections.
                other.acquire(WorkerRequest.of(run.key("s01-" + i), LEASE, PATIENCE))
                        .finish();
            }
            held.awaitRenewal();
            holder.finish();
            CheckedClient.await(waiting).finish();
            assertThat(held.lost()).isNull();
            held.finish();
            run.assertClean("S01 backend-terminated", "ended sessions");
        }
    }
}
