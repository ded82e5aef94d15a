package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The lock store of a relational database. The common case is one short statement; everything else locks rows in the
 * order of their names and follows the rules of {@link LockRow}.
 */
final class JdbcLockStore implements LockStore {
    private final LockDatabase database;
    private final LeaseTable table;
    private final StoreContext context;
    private final @Nullable PostgresNotifications notifications;
    private final BlockingCalls calls;
    private final RowSteps steps;
    private final JdbcAttempts attempts;
    private final JdbcWaiters waiters;
    private final JdbcRenewals renewals;
    private final JdbcReleases releases;

    JdbcLockStore(
            LockDatabase database,
            LeaseTable table,
            StoreContext context,
            @Nullable PostgresNotifications notifications) {
        this.database = database;
        this.table = table;
        this.context = context;
        this.notifications = notifications;
        this.calls = new BlockingCalls(context);
        this.steps = new RowSteps(database, table, context, notifications);
        KnownLocks known = new KnownLocks();
        this.releases = new JdbcReleases(database, table, calls, steps, known);
        this.attempts = new JdbcAttempts(database, table, calls, steps, known, releases, notifications);
        this.waiters = new JdbcWaiters(database, table, steps, notifications != null);
        this.renewals = new JdbcRenewals(database, table, steps);
    }

    @Override
    public CompletionStage<String> agree(String expected, String proposed) {
        return calls.ask(() -> database.transaction(connection -> {
            String stored = table.lockNamespace(connection);
            if (stored == null) {
                throw StoreException.refused("The namespace has lost its row in interlock_namespace: connect again");
            }
            if (!stored.equals(expected)) {
                return stored;
            }
            table.agree(connection, proposed);
            return proposed;
        }));
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
        return attempts.attempt(attempt, Duration.ofNanos(mayBlockNanos));
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
        return calls.ask(() -> waiters.keepWaiting(places));
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        return calls.release(() -> waiters.withdraw(id, keys));
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> list) {
        return calls.renew(() -> renewals.renew(list));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos) {
        return releases.release(grants, Duration.ofNanos(mayBlockNanos));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return calls.ask(() -> {
            Map<LockKey, Integer> counts = new HashMap<>();
            LeaseTable.Locked found = database.statement(connection ->
                    table.list(connection, query.prefix(), query.after().orElse(""), query.limit() + 1, counts));
            List<LockSnapshot> locks = new ArrayList<>();
            String last = "";
            boolean more = false;
            for (LockRow row : found.rows().values()) {
                if (!row.key.name().startsWith(query.prefix())) {
                    break;
                }
                if (locks.size() == query.limit()) {
                    more = true;
                    break;
                }
                row.refresh(found.now());
                locks.add(new LockSnapshot(row.key, row.describe(found.now()), counts.getOrDefault(row.key, 0)));
                last = row.key.name();
            }
            locks.removeIf(lock -> lock.holders().isEmpty() && lock.waiters() == 0);
            return new LockPage(
                    locks,
                    more ? Optional.of(last) : Optional.empty(),
                    context.environment().wall());
        });
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return calls.ask(() -> steps.on(Set.of(key), Set.of(), rows -> {
            LockRow row = rows.find(key);
            if (row == null) {
                return 0;
            }
            rows.change(key);
            rows.refresh(row);
            int count = row.forceRelease();
            rows.refresh(row);
            return count;
        }));
    }

    @Override
    public CompletionStage<List<WaitReport>> exchange(WaitReportExchange reports) {
        return calls.ask(() -> table.waitReports().exchange(database, reports));
    }

    @Override
    public void close() {
        if (notifications != null) {
            notifications.close();
        }
    }
}
