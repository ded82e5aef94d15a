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
 * Steps that one statement cannot make: the rows they are about are locked in the order of their names, looked at, and written back, in one
 * transaction. Whoever was handed a lock by that is told with the commit.
 */
final class RowSteps {
    /** How often a row may vanish between being made and being locked: a purge takes only rows that nobody uses. */
    private static final int MOST_VANISHED = 5;

    /** After so many new names it is time to look for old ones. */
    private static final int NAMES_PER_PURGE = 1024;

    private static final Duration PURGE_AFTER = Duration.ofHours(1);

    private final Database database;
    private final LeaseTable table;
    private final StoreContext context;
    private final @Nullable PostgresPushes pushes;
    private final AtomicInteger newNames = new AtomicInteger();

    RowSteps(Database database, LeaseTable table, StoreContext context, @Nullable PostgresPushes pushes) {
        this.database = database;
        this.table = table;
        this.context = context;
        this.pushes = pushes;
    }

    /** Rows that are locked for one step, and what the step does to them. */
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

        /** A row that will be written back. */
        LockRow change(LockKey key) {
            LockRow row = locked.row(key);
            changed.add(row);
            return row;
        }

        /** Hands what became free to those who wait. */
        void refresh(LockRow row) {
            List<HandOver> given = row.refresh(now);
            if (!given.isEmpty()) {
                changed.add(row);
                handOvers.addAll(given);
            }
        }
    }

    /** May be made several times, if the database gives up because of others. */
    interface Step<T> {
        T on(Rows rows);
    }

    /** Makes a step on the rows of these keys. The wanted ones are made if they are not there. */
    <T> T on(Collection<LockKey> keys, Collection<LockKey> wanted, Step<T> step) {
        for (int tries = 0; tries < MOST_VANISHED; tries++) {
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
                if (pushes != null) {
                    pushes.tell(connection, rows.handOvers);
                }
                return Optional.of(done);
            });
            if (answer.isPresent()) {
                return answer.get();
            }
            make(missing);
        }
        throw StoreException.notNow("Rows of " + keys + " vanish from interlock_lock as soon as they are made", null);
    }

    private void make(List<LockKey> keys) {
        List<LockKey> sorted = keys.stream().sorted(Names.ORDER).toList();
        database.transaction(connection -> {
            table.insert(connection, sorted);
            return sorted;
        });
        made(keys.size());
    }

    /** So many rows have been made for new names. */
    void made(int names) {
        if (newNames.addAndGet(names) >= NAMES_PER_PURGE) {
            newNames.set(0);
            context.ordinary().execute(this::purge);
        }
    }

    /** A purge that fails is none: the next one does its work. */
    private void purge() {
        try {
            database.transaction(connection -> table.purge(connection, Micros.of(PURGE_AFTER)));
        } catch (StoreException e) {
            newNames.set(NAMES_PER_PURGE / 2);
        }
    }
}
