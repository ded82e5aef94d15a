package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Place;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Those who wait: their heartbeat, and what they are told. */
final class Waits {
    /** For a waiter whose lock cannot be looked at now. */
    private static final Duration LATER = Duration.ofMillis(400);

    private final Database database;
    private final LeaseTable table;
    private final RowSteps steps;
    private final boolean isTold;

    /** Whether waiters are told of a hand-over decides how often they ask. */
    Waits(Database database, LeaseTable table, RowSteps steps, boolean isTold) {
        this.database = database;
        this.table = table;
        this.steps = steps;
        this.isTold = isTold;
    }

    /** Most waiters wait on: for them it is a heartbeat and a look, and no row is locked that others need. */
    List<WaitAnswer> keepWaiting(List<Place> places) {
        List<Place> sorted = places.stream()
                .sorted((a, b) -> Names.ORDER.compare(a.key(), b.key()))
                .toList();
        Set<LockKey> keys = sorted.stream().map(Place::key).collect(Collectors.toCollection(LinkedHashSet::new));
        Set<Place> heard = heard(sorted);
        LeaseTable.Locked seen = database.statement(connection -> table.look(connection, keys));
        Map<Place, Long> ahead = isTold
                ? Map.of()
                : database.statement(connection -> table.crowd().ahead(connection, keys, sorted));
        List<WaitAnswer> answers = new ArrayList<>(places.size());
        for (Place place : places) {
            LockRow row = seen.rows().get(place.key());
            boolean isHeard = heard.contains(place);
            answers.add(
                    isHeard && row != null && row.isSomeoneElses(place.id(), seen.now())
                            ? new WaitAnswer.Waiting(
                                    Pauses.recheck(row, ahead.getOrDefault(place, 0L), seen.now(), isTold))
                            : keepWaitingOnRow(place, isHeard));
        }
        return answers;
    }

    private Set<Place> heard(List<Place> sorted) {
        boolean[] waiting =
                database.batch(sorted.size(), connection -> table.crowd().hear(connection, sorted));
        Set<Place> heard = new HashSet<>();
        for (int i = 0; i < waiting.length; i++) {
            if (waiting[i]) {
                heard.add(sorted.get(i));
            }
        }
        return heard;
    }

    /** One after the other: a row that somebody sits on delays those who wait for other locks, and fails none of them. */
    private WaitAnswer keepWaitingOnRow(Place place, boolean heard) {
        try {
            return steps.on(Set.of(place.key()), Set.of(), rows -> keepWaiting(rows, place, heard));
        } catch (StoreException e) {
            if (heard && e.isAnswered() && e.kind() == StoreException.Kind.NOT_SENT) {
                return new WaitAnswer.Waiting(LATER);
            }
            throw e;
        }
    }

    private WaitAnswer keepWaiting(RowSteps.Rows rows, Place place, boolean heard) {
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
        return heard && (row.queue.containsKey(owner) || row.more)
                ? new WaitAnswer.Waiting(Pauses.recheck(row, row.ahead(owner), rows.now, isTold))
                : new WaitAnswer.Forgotten();
    }

    /** Ends the wait of an attempt; answers what it has been granted. */
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
