package dev.interlock.jdbc;

import dev.interlock.jdbc.Guesses.Interest;
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

    /** For one that could not be heard of: it must be, before it counts as dead. */
    private static final Duration SOON = Duration.ofMillis(50);

    private final Database database;
    private final LeaseTable table;
    private final RowSteps steps;
    private final Guesses guesses;
    private final boolean isTold;

    /** Whether waiters are told of a hand-over decides how often they ask. */
    Waits(Database database, LeaseTable table, RowSteps steps, Guesses guesses, boolean isTold) {
        this.database = database;
        this.table = table;
        this.steps = steps;
        this.guesses = guesses;
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
                            : !isHeard && isTold ? lookAgain(place) : keepWaitingOnRow(place, isHeard));
        }
        return answers;
    }

    /** One that was not heard of: granted or forgotten, or moved from the lock's row to one of its own just then, or somebody has the lock's row. */
    private WaitAnswer lookAgain(Place place) {
        return isHeir(place)
                ? new WaitAnswer.NotNow(SOON)
                : keepWaitingOnRow(place, heard(List.of(place)).contains(place));
    }

    /** Each is looked for where it is likely to be first: in its lock's row if it waits alone, in one of its own otherwise. */
    private Set<Place> heard(List<Place> sorted) {
        Set<Place> heard = new HashSet<>();
        List<Place> heirs = isTold
                ? sorted.stream()
                        .filter(place -> guesses.interestIn(place.key()) == Interest.HEIR)
                        .toList()
                : List.of();
        hear(heard, heirs, true);
        List<Place> others = without(heard, sorted);
        hear(heard, others, false);
        if (isTold) {
            List<Place> left = without(heard, others);
            left.removeAll(heirs);
            hear(heard, left, true);
        }
        return heard;
    }

    private void hear(Set<Place> heard, List<Place> places, boolean asHeirs) {
        if (places.isEmpty()) {
            return;
        }
        boolean[] isHeard = database.batch(
                places.size(),
                it -> asHeirs
                        ? table.crowd().hearHeirs(it, places)
                        : table.crowd().hear(it, places));
        for (int i = 0; i < isHeard.length; i++) {
            if (isHeard[i]) {
                heard.add(places.get(i));
            }
        }
    }

    private static List<Place> without(Set<Place> heard, List<Place> places) {
        List<Place> others = new ArrayList<>(places);
        others.removeAll(heard);
        return others;
    }

    /** One whose lock's row somebody has just now. It was not heard of, and must not be told that it was: its lock may be on its way to it. */
    private boolean isHeir(Place place) {
        return database.statement(connection -> table.crowd().isHeir(connection, place));
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
