package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.HandOver;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps that take more than one statement: locks the rows in the order of their names, reads them, lets
 * {@link LockRow} decide, and writes them back, in one transaction. Waiters that were granted a lock are notified with
 * the commit.
 */
final class RowSteps {
    /** How often a row may be purged between its creation and its lock. A purge takes only unused rows. */
    private static final int MAX_VANISHED = 5;

    /** New names after which a purge runs. */
    private static final int NAMES_PER_PURGE = 1024;

    private static final Duration PURGE_AFTER = Duration.ofHours(1);

    private final LockDatabase database;
    private final LeaseTable table;
    private final StoreContext context;
    private final @Nullable PostgresNotifications notifications;
    private final AtomicInteger newNames = new AtomicInteger();

    RowSteps(
            LockDatabase database,
            LeaseTable table,
            StoreContext context,
            @Nullable PostgresNotifications notifications) {
        this.database = database;
        this.table = table;
        this.context = context;
        this.notifications = notifications;
    }

    /** The locked rows of one step, and its changes. */
    static final class Rows {
        final long now;
        private final LeaseTable.Locked locked;
        private final Set<LockRow> changed = new LinkedHashSet<>();
        private final List<HandOver> handOvers = new ArrayList<>(0);

        private Rows(LeaseTable.Locked locked) {
            this.locked = locked;
            this.now = locked.now();
        }

        @Nullable
        LockRow find(LockKey key) {
            return locked.rows().get(key);
        }

        /** Returns a row and marks it to be written back. */
        LockRow change(LockKey key) {
            LockRow row = locked.row(key);
            changed.add(row);
            return row;
        }

        /** Drops expired holders of a row and grants the lock to its waiters. */
        void refresh(LockRow row) {
            List<HandOver> given = row.refresh(now);
            if (!given.isEmpty()) {
                changed.add(row);
                handOvers.addAll(given);
            }
        }
    }

    /** May run several times, if the database reports a conflict. */
    interface Step<T> {
        T on(Rows rows);
    }

    /** Runs a step on the rows of these keys. Creates the rows of the wanted keys if they do not exist. */
    <T> T on(Collection<LockKey> keys, Collection<LockKey> wanted, Step<T> step) {
        for (int tries = 0; tries < MAX_VANISHED; tries++) {
            List<LockKey> missing = new ArrayList<>(0);
            Optional<T> answer = database.transaction(connection -> {
                LeaseTable.Locked locked = table.lock(connection, keys);
                missing.clear();
                missing.addAll(LeaseTable.missing(wanted, locked));
                if (!missing.isEmpty()) {
                    return Optional.<T>empty();
                }
                Rows rows = new Rows(locked);
                T done = step.on(rows);
                table.write(connection, rows.changed, rows.now);
                if (notifications != null) {
                    notifications.send(connection, rows.handOvers);
                }
                return Optional.of(done);
            });
            if (answer.isPresent()) {
                return answer.get();
            }
            create(missing);
        }
        throw StoreException.notNow(
                "Rows of " + keys + " disappear from interlock_lock as soon as they are created", null);
    }

    private void create(List<LockKey> keys) {
        List<LockKey> sorted = keys.stream().sorted(KeyOrder.BY_BYTES).toList();
        database.transaction(connection -> {
            table.insert(connection, sorted);
            return sorted;
        });
        created(keys.size());
    }

    /** Counts rows that were created for new names, and starts a purge after many of them. */
    void created(int names) {
        if (newNames.addAndGet(names) >= NAMES_PER_PURGE) {
            newNames.set(0);
            context.ordinary().execute(this::purge);
        }
    }

    /** A failed purge is harmless: the next one does its work. */
    private void purge() {
        try {
            database.transaction(connection -> table.purge(connection, Micros.of(PURGE_AFTER)));
        } catch (StoreException e) {
            newNames.set(NAMES_PER_PURGE / 2);
        }
    }
}
