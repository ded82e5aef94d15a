package dev.interlock.jdbc;

import dev.interlock.spi.Grant;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Releases locks, and hands them over to the next waiter if there is one. */
final class JdbcReleases {
    private final LockDatabase database;
    private final LeaseTable table;
    private final BlockingCalls calls;
    private final RowSteps steps;
    private final KnownLocks known;
    private final @Nullable PostgresShortcuts shortcuts;

    JdbcReleases(LockDatabase database, LeaseTable table, BlockingCalls calls, RowSteps steps, KnownLocks known) {
        this.database = database;
        this.table = table;
        this.calls = calls;
        this.steps = steps;
        this.known = known;
        this.shortcuts = table.shortcuts();
    }

    CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, Duration mayBlock) {
        Set<Grant> released;
        try {
            released = grants.size() == 1 ? releaseOneHere(grants.get(0), mayBlock) : releaseAllHere(grants, mayBlock);
        } catch (StoreException e) {
            return CompletableFuture.failedStage(e);
        }
        return released.size() == grants.size()
                ? CompletableFuture.completedStage(Collections.nCopies(grants.size(), ReleaseAnswer.RELEASED))
                : calls.release(() -> releaseThere(grants, released));
    }

    /** Tries the likely statement on the calling thread if that thread may be used; returns what it has released. */
    private Set<Grant> releaseOneHere(Grant grant, Duration mayBlock) {
        PostgresShortcuts postgres = shortcuts;
        boolean handsOver = handsOver(grant);
        Boolean done = (postgres != null && handsOver)
                ? database.here(mayBlock, postgres.handingOver, it -> postgres.handOver(it, grant))
                : database.here(mayBlock, table.releasing, it -> table.release(it, grant));
        if (done == null) {
            return Set.of();
        }
        remember(grant, handsOver, done);
        return done ? Set.of(grant) : Set.of();
    }

    /** Whether the lock is likely to have waiters, and a single statement can hand it over. */
    private boolean handsOver(Grant grant) {
        return shortcuts != null && known.hadWaiters(grant.key());
    }

    /** A hand-over succeeds only if there are waiters; a plain release only if there are none. */
    private void remember(Grant grant, boolean handedOver, boolean done) {
        known.remember(grant.key(), handedOver == done);
    }

    private Set<Grant> releaseAllHere(List<Grant> grants, Duration mayBlock) {
        PostgresShortcuts postgres = shortcuts;
        Set<Grant> released = postgres == null ? null : database.here(mayBlock, it -> postgres.releaseAll(it, grants));
        return released == null ? Set.of() : released;
    }

    /** Releases the rest on a thread of the engine, with as many statements as that takes. */
    private List<ReleaseAnswer> releaseThere(List<Grant> grants, Set<Grant> releasedHere) {
        Set<Grant> released = !releasedHere.isEmpty()
                ? releasedHere
                : grants.size() == 1 ? releaseOne(grants.get(0)) : releaseAll(grants);
        List<Grant> others =
                grants.stream().filter(grant -> !released.contains(grant)).toList();
        Map<Grant, ReleaseAnswer> onRows = others.isEmpty() ? Map.of() : onRows(others);
        return grants.stream()
                .map(grant -> onRows.getOrDefault(grant, ReleaseAnswer.RELEASED))
                .toList();
    }

    private Set<Grant> releaseOne(Grant grant) {
        boolean done = handsOver(grant) ? handOver(grant) || releaseFree(grant) : releaseFree(grant) || handOver(grant);
        return done ? Set.of(grant) : Set.of();
    }

    private boolean releaseFree(Grant grant) {
        boolean done = database.statement(connection -> table.release(connection, grant));
        remember(grant, false, done);
        return done;
    }

    private boolean handOver(Grant grant) {
        PostgresShortcuts postgres = shortcuts;
        if (postgres == null) {
            return false;
        }
        boolean done = database.statement(connection -> postgres.handOver(connection, grant));
        remember(grant, true, done);
        return done;
    }

    private Set<Grant> releaseAll(List<Grant> grants) {
        PostgresShortcuts postgres = shortcuts;
        return postgres == null ? Set.of() : database.statement(connection -> postgres.releaseAll(connection, grants));
    }

    /** Releases over locked rows, which decides every case. */
    Map<Grant, ReleaseAnswer> onRows(List<Grant> grants) {
        return steps.on(grants.stream().map(Grant::key).collect(Collectors.toSet()), Set.of(), rows -> {
            Map<Grant, ReleaseAnswer> answers = new HashMap<>();
            for (Grant grant : grants) {
                answers.put(grant, release(rows, grant));
            }
            return answers;
        });
    }

    private static ReleaseAnswer release(RowSteps.Rows rows, Grant grant) {
        LockRow row = rows.find(grant.key());
        if (row == null || !row.release(grant, rows.now)) {
            return ReleaseAnswer.NOT_HELD;
        }
        rows.change(row.key);
        rows.refresh(row);
        return ReleaseAnswer.RELEASED;
    }
}
