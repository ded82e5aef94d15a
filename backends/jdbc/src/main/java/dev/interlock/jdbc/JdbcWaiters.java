package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Granted;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Heartbeats and withdrawals of waiters. */
final class JdbcWaiters {
    /** When a waiter whose lock row is locked by another transaction asks again. */
    private static final Duration RECHECK_LOCKED_ROW = Duration.ofMillis(400);

    private final LockDatabase database;
    private final LeaseTable table;
    private final RowSteps steps;
    private final boolean isNotified;

    /** Waiters that are notified of a hand-over ask less often. */
    JdbcWaiters(LockDatabase database, LeaseTable table, RowSteps steps, boolean isNotified) {
        this.database = database;
        this.table = table;
        this.steps = steps;
        this.isNotified = isNotified;
    }

    /**
     * Records heartbeats and answers each waiter. For most waiters that is a heartbeat and a read, which lock no row
     * that other processes need.
     */
    List<WaitAnswer> keepWaiting(List<PlaceId> places) {
        List<PlaceId> sorted = places.stream()
                .sorted((a, b) -> KeyOrder.BY_BYTES.compare(a.key(), b.key()))
                .toList();
        Set<LockKey> keys = sorted.stream().map(PlaceId::key).collect(Collectors.toCollection(LinkedHashSet::new));
        Set<PlaceId> present =
                database.batch(sorted.size(), connection -> table.queue().heartbeat(connection, sorted));
        LeaseTable.Locked seen = database.statement(connection -> table.read(connection, keys));
        Map<PlaceId, Long> ahead = isNotified
                ? Map.of()
                : database.statement(connection -> table.queue().placesAhead(connection, keys, sorted));
        List<WaitAnswer> answers = new ArrayList<>(places.size());
        for (PlaceId place : places) {
            LockRow row = seen.rows().get(place.key());
            boolean isPresent = present.contains(place);
            answers.add(
                    isPresent && row != null && row.isHeldByOther(place.id(), seen.now())
                            ? new WaitAnswer.Waiting(
                                    PollInterval.recheck(row, ahead.getOrDefault(place, 0L), seen.now(), isNotified))
                            : keepWaitingOnRow(place, isPresent));
        }
        return answers;
    }

    /** One by one: a locked row delays the waiters of other locks but does not fail them. */
    private WaitAnswer keepWaitingOnRow(PlaceId place, boolean isPresent) {
        try {
            return steps.on(Set.of(place.key()), Set.of(), rows -> keepWaiting(rows, place, isPresent));
        } catch (StoreException e) {
            if (isPresent && e.isAnswered() && e.kind() == StoreException.Kind.NOT_SENT) {
                return new WaitAnswer.Waiting(RECHECK_LOCKED_ROW);
            }
            throw e;
        }
    }

    private WaitAnswer keepWaiting(RowSteps.Rows rows, PlaceId place, boolean isPresent) {
        LockRow row = rows.find(place.key());
        if (row == null) {
            return new WaitAnswer.Forgotten();
        }
        String owner = place.id().value();
        rows.change(place.key());
        rows.refresh(row);
        Holder mine = row.holder(owner);
        if (mine != null && mine.isHeld(rows.now)) {
            return new WaitAnswer.Won(row.granted(mine, rows.now));
        }
        return isPresent && (row.queue.containsKey(owner) || row.hasMoreWaiters)
                ? new WaitAnswer.Waiting(PollInterval.recheck(row, row.ahead(owner), rows.now, isNotified))
                : new WaitAnswer.Forgotten();
    }

    /** Ends the wait of an attempt and returns what it has been granted. */
    List<Granted> withdraw(OwnerId id, List<LockKey> keys) {
        return steps.on(new LinkedHashSet<>(keys), Set.of(), rows -> {
            List<Granted> granted = new ArrayList<>();
            for (LockKey key : keys) {
                LockRow row = rows.find(key);
                if (row != null) {
                    rows.change(key).leave(id.value());
                    rows.refresh(row);
                    Holder mine = row.holder(id.value());
                    if (mine != null && mine.isHeld(rows.now)) {
                        granted.add(row.granted(mine, rows.now));
                    }
                }
            }
            return granted;
        });
    }
}
