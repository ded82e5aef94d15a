package dev.interlock.jdbc;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.SLACK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.faults.Recording;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun.Injected;
import dev.interlock.testkit.servers.PostgresServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Requests that come twice as well: here one request can be sent again by itself. */
class PostgresLateMessagesTest extends LateMessagesCases {
    @RegisterExtension
    static final FaultDatabase database = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    PostgresLateMessagesTest() {
        super(database);
    }

    /** N03: at the same time on another connection, and again when somebody else holds the lock. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void requestThatComesTwiceHasTheOutcomeOfOne() {
        LockKey key = run.key("n03");
        JudgedClient client = acquainted("one", key);
        JudgedClient other = run.direct("two");
        Recording attempts = run.proxy().record(run.statement("take"));
        Recording renewals = run.proxy().record(run.statement("extend"));
        Recording releases = run.proxy().record(run.statement("give"));
        JudgedClient.Held held;
        try (Injected twice = run.inject("replay", () -> run.proxy().replay(run.statement("take")));
                Injected again = run.inject("replay", () -> run.proxy().replay(run.statement("extend")))) {
            held = client.acquire(key);
            twice.awaitActed();
            held.renew(LEASE);
            again.awaitActed();
        }
        attempts.replay(1, SLACK);
        long granted = new FencingToken(held.token()).grant();
        assertThat(run.recordedGrant(key)).isEqualTo(granted);
        assertThat(run.counter(key)).as("no number drawn twice").isEqualTo(granted);
        assertThat(held.update()).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);

        JudgedClient.Held next = other.acquire(key);
        attempts.replay(1, SLACK);
        renewals.replay(1, SLACK);
        releases.replay(1, SLACK);
        assertThat(run.recordedGrant(key)).isEqualTo(new FencingToken(next.token()).grant());
        next.finish();
        run.assertClean("N03 duplicated-request", "replay");
    }
}
