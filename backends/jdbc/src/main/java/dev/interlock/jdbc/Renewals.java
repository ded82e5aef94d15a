package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Extends many grants by one statement, or two in one transaction. Those that it did not find are looked for among those who hold together, and then by
 * locking their rows, which says why they are gone.
 *
 * <p>Grants of one request wait for rows that others have locked, since they are extended together or not at all. Grants of several do
 * not: a row that somebody sits on must not cost the leases beside it, so whoever has such a row is told to ask again. Nor does who asks again while
 * an earlier call still waits: the engine asks more often as the end comes near, and would have all its threads wait for one row.
 */
final class Renewals {
    /** As everybody locks rows: those of locks by name, those of who holds one together with others by owner. */
    private static final Comparator<Renewal> ORDER = Comparator.comparing(
                    (Renewal renewal) -> renewal.grant().key(), Names.ORDER)
            .thenComparing(renewal -> renewal.grant().owner().value());

    private final Database database;
    private final LeaseTable table;
    private final RowSteps steps;
    private final Guesses guesses;
    private final Extensions extensions;
    private final @Nullable PostgresShortcuts shortcuts;

    /** Requests whose renewal is under way, and may wait. */
    private final Set<OwnerId> waiting = ConcurrentHashMap.newKeySet();

    Renewals(Database database, LeaseTable table, RowSteps steps, Guesses guesses) {
        this.database = database;
        this.table = table;
        this.steps = steps;
        this.guesses = guesses;
        this.extensions = table.extensions();
        this.shortcuts = table.shortcuts();
    }

    /** One answer per renewal, in their order. */
    List<RenewalAnswer> renew(List<Renewal> renewals) {
        renewals.forEach(renewal -> guesses.moves(renewal.grant().key()));
        List<Renewal> sorted = renewals.stream().sorted(ORDER).toList();
        Map<Grant, RenewalAnswer> answers = new HashMap<>();
        OwnerId owner = sorted.get(0).grant().owner();
        if (isOneRequest(sorted) && waiting.add(owner)) {
            try {
                extend(sorted, answers);
            } finally {
                waiting.remove(owner);
            }
        } else {
            List<Renewal> others = extendMany(sorted, answers);
            if (!others.isEmpty()) {
                extend(others, answers);
            }
        }
        return renewals.stream()
                .map(renewal -> answers.getOrDefault(renewal.grant(), new RenewalAnswer.Extended(renewal.lease())))
                .toList();
    }

    /** Puts down answers of those only that were not simply extended. */
    private void extend(List<Renewal> sorted, Map<Grant, RenewalAnswer> answers) {
        List<Renewal> others = not(database.batch(sorted.size(), it -> extensions.alone(it, sorted)), sorted);
        if (!others.isEmpty()) {
            List<Renewal> together = others;
            others = not(database.batch(together.size(), it -> extensions.together(it, together)), together);
        }
        if (!others.isEmpty()) {
            answers.putAll(onRows(others));
        }
    }

    private static boolean isOneRequest(List<Renewal> renewals) {
        Grant first = renewals.get(0).grant();
        return renewals.stream().allMatch(renewal -> renewal.grant().owner().equals(first.owner()));
    }

    private List<Renewal> extendMany(List<Renewal> sorted, Map<Grant, RenewalAnswer> answers) {
        if (shortcuts == null) {
            return extendFree(sorted, answers);
        }
        PostgresShortcuts many = shortcuts;
        Set<Grant> extended = database.statement(it -> many.extendMany(it, sorted));
        List<Renewal> others =
                sorted.stream().filter(it -> !extended.contains(it.grant())).toList();
        return others.isEmpty() ? others : extendFree(others, answers);
    }

    /** The same with rows that nobody else has locked at this moment; answers those that are there and were not simply extended. */
    private List<Renewal> extendFree(List<Renewal> sorted, Map<Grant, RenewalAnswer> answers) {
        return database.transaction(connection -> {
            Set<LockKey> all = keys(sorted);
            Set<LockKey> free = table.lockFree(connection, all);
            Set<LockKey> there = free.size() == all.size()
                    ? all
                    : table.look(connection, all).rows().keySet();
            answers.clear();
            List<Renewal> lockable = new ArrayList<>();
            for (Renewal renewal : sorted) {
                LockKey key = renewal.grant().key();
                if (free.contains(key) || !there.contains(key)) {
                    lockable.add(renewal);
                } else {
                    answers.put(
                            renewal.grant(),
                            new RenewalAnswer.NotNow(
                                    "another transaction keeps the row of \"" + key + "\" in interlock_lock locked"));
                }
            }
            return lockable.isEmpty() ? lockable : not(extensions.all(connection, lockable), lockable);
        });
    }

    private static List<Renewal> not(boolean[] extended, List<Renewal> renewals) {
        List<Renewal> others = new ArrayList<>();
        for (int i = 0; i < extended.length; i++) {
            if (!extended[i]) {
                others.add(renewals.get(i));
            }
        }
        return others;
    }

    private static Set<LockKey> keys(List<Renewal> renewals) {
        Set<LockKey> keys = new LinkedHashSet<>();
        renewals.forEach(renewal -> keys.add(renewal.grant().key()));
        return keys;
    }

    private Map<Grant, RenewalAnswer> onRows(List<Renewal> renewals) {
        return steps.on(keys(renewals), Set.of(), rows -> {
            Map<Grant, RenewalAnswer> answers = new HashMap<>();
            for (Renewal renewal : renewals) {
                answers.put(renewal.grant(), onRow(rows, renewal));
            }
            return answers;
        });
    }

    private static RenewalAnswer onRow(RowSteps.Rows rows, Renewal renewal) {
        LockRow row = rows.find(renewal.grant().key());
        if (row == null) {
            return new RenewalAnswer.Gone(LossReason.EXPIRED);
        }
        Duration left = row.renew(renewal, rows.now);
        if (left == null) {
            return new RenewalAnswer.Gone(row.whyGone(renewal.grant(), rows.now));
        }
        rows.change(row.key);
        return new RenewalAnswer.Extended(left);
    }
}
