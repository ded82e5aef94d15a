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
 * Extends many grants by one statement, or by two in one transaction. Grants that were not found are tried as shared
 * grants, and then over locked rows, which shows why they are gone.
 *
 * <p>The grants of one request wait for locked rows, because they are extended together or not at all. The grants of
 * several requests do not: a locked row must not cost the leases beside it, so its grant is answered with
 * {@code NotNow}. A repeated call does not wait either while an earlier one does: the engine renews more often as the
 * end of a lease comes near, and all its threads would wait for one row.
 */
final class JdbcRenewals {
    /** The order in which all transactions lock rows: by name, and for shared holders by owner. */
    private static final Comparator<Renewal> ORDER = Comparator.comparing(
                    (Renewal renewal) -> renewal.grant().key(), KeyOrder.BY_BYTES)
            .thenComparing(renewal -> renewal.grant().owner().value());

    private final LockDatabase database;
    private final LeaseTable table;
    private final RowSteps steps;
    private final LeaseExtensions extensions;
    private final @Nullable PostgresShortcuts shortcuts;

    /** Requests with a renewal in progress that may wait for a row. */
    private final Set<OwnerId> waiting = ConcurrentHashMap.newKeySet();

    JdbcRenewals(LockDatabase database, LeaseTable table, RowSteps steps) {
        this.database = database;
        this.table = table;
        this.steps = steps;
        this.extensions = table.extensions();
        this.shortcuts = table.shortcuts();
    }

    /** Returns one answer per renewal, in their order. */
    List<RenewalAnswer> renew(List<Renewal> renewals) {
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

    /** Adds answers only for grants that were not simply extended. */
    private void extend(List<Renewal> sorted, Map<Grant, RenewalAnswer> answers) {
        List<Renewal> others = not(database.batch(sorted.size(), it -> extensions.exclusive(it, sorted)), sorted);
        if (!others.isEmpty()) {
            List<Renewal> shared = others;
            others = not(database.batch(shared.size(), it -> extensions.shared(it, shared)), shared);
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
            return extendUnlocked(sorted, answers);
        }
        PostgresShortcuts many = shortcuts;
        Set<Grant> extended = database.statement(it -> many.extendMany(it, sorted));
        List<Renewal> others =
                sorted.stream().filter(it -> !extended.contains(it.grant())).toList();
        return others.isEmpty() ? others : extendUnlocked(others, answers);
    }

    /** Extends grants whose rows are not locked. Returns the grants that were tried and not extended. */
    private List<Renewal> extendUnlocked(List<Renewal> sorted, Map<Grant, RenewalAnswer> answers) {
        return database.transaction(connection -> {
            Set<LockKey> all = keys(sorted);
            Set<LockKey> free = table.lockUnlocked(connection, all);
            Set<LockKey> there = free.size() == all.size()
                    ? all
                    : table.read(connection, all).rows().keySet();
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
            return lockable.isEmpty() ? lockable : not(extensions.exclusiveInGroups(connection, lockable), lockable);
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
