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
import dev.interlock.spi.Place;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The lock store in a database's words. The usual case is one short statement; everything else locks the rows it is about, in the order
 * of their names, and decides by the rules of {@link LockRow}.
 */
final class JdbcLockStore implements LockStore {
    private final Database database;
    private final LeaseTable table;
    private final StoreContext context;
    private final @Nullable PostgresPushes pushes;
    private final Lanes lanes;
    private final RowSteps steps;
    private final Attempts attempts;
    private final Waits waits;
    private final Renewals renewals;
    private final Releases releases;

    JdbcLockStore(Database database, LeaseTable table, StoreContext context, @Nullable PostgresPushes pushes) {
        this.database = database;
        this.table = table;
        this.context = context;
        this.pushes = pushes;
        this.lanes = new Lanes(context);
        this.steps = new RowSteps(database, table, context, pushes);
        Guesses guesses = new Guesses();
        this.releases = new Releases(database, table, lanes, steps, guesses);
        this.attempts = new Attempts(database, table, lanes, steps, guesses, releases, pushes);
        this.waits = new Waits(database, table, steps, guesses, pushes != null);
        this.renewals = new Renewals(database, table, steps, guesses);
    }

    @Override
    public CompletionStage<String> terms(String expected, String proposed) {
        return lanes.ask(() -> database.transaction(connection -> {
            String stored = table.namespaceRow(connection);
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
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt) {
        return attempts.attempt(attempt);
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<Place> places) {
        return lanes.ask(() -> waits.keepWaiting(places));
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        attempts.drop(id);
        return lanes.free(() -> waits.withdraw(id, keys));
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> list) {
        return lanes.renew(() -> renewals.renew(list));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants) {
        return releases.release(grants);
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return lanes.ask(() -> {
            Map<LockKey, Integer> waiters = new HashMap<>();
            LeaseTable.Locked found = database.statement(connection ->
                    table.list(connection, query.prefix(), query.after().orElse(""), query.limit() + 1, waiters));
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
                locks.add(new LockSnapshot(row.key, row.describe(found.now()), waiters.getOrDefault(row.key, 0)));
                last = row.key.name();
            }
            locks.removeIf(lock -> lock.holders().isEmpty() && lock.waiters() == 0);
            return new LockPage(
                    locks,
                    more ? Optional.of(last) : Optional.empty(),
                    context.surroundings().wall());
        });
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return lanes.ask(() -> steps.on(Set.of(key), Set.of(), rows -> {
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
    public CompletionStage<List<WaitNote>> exchange(WaitNotes notes) {
        return lanes.ask(() -> table.notes().exchange(database, notes));
    }

    @Override
    public void close() {
        if (pushes != null) {
            pushes.close();
        }
    }
}
