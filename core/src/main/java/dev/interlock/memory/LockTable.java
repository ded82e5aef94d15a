package dev.interlock.memory;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.memory.LockRecord.Holder;
import dev.interlock.memory.LockRecord.Place;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.AttemptAnswer.Obstacle;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All locks of one in-memory backend, and the rules by which they are granted.
 *
 * <p>The table has a clock but no threads. Callers hold {@link #mutex} around each call. Pushes that a call causes are
 * collected, and the caller delivers them after it has unlocked the mutex.
 *
 * <p>Invariants: grant numbers grow across all keys. The live holders of a key never exclude each other. A waiter
 * leaves the queue in the same step in which it is granted the key. A key without holders and waiters uses no memory.
 */
final class LockTable {
    /** A grant to a waiter, to be delivered after the call. */
    record Push(StoreListener listener, Granted granted) {}

    private record StoredReport(WaitReport report, long untilNanos) {}

    /** How many forced releases are remembered, so that their former holders get the true reason. */
    private static final int FORCED_REMEMBERED = 1024;

    /** The table is searched for expired records whenever it has grown by this factor. */
    private static final int SWEEP_FACTOR = 2;

    private static final int SWEEP_FLOOR = 4096;

    /** Callers hold it around every call. */
    final ReentrantLock mutex = new ReentrantLock();

    private final LongSupplier clock;
    private final Map<LockKey, LockRecord> records = new HashMap<>();
    private final Map<Long, LockKey> forced = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, LockKey> eldest) {
            return size() > FORCED_REMEMBERED;
        }
    };
    private final Map<String, StoredReport> reports = new LinkedHashMap<>();
    private List<Push> pushes = new ArrayList<>();
    private String agreement = "";
    private long lastGrant;
    private int sweepAt = SWEEP_FLOOR;

    LockTable(LongSupplier clock, long firstGrant) {
        this.clock = clock;
        this.lastGrant = firstGrant - 1;
    }

    String agree(String expected, String proposed) {
        if (agreement.equals(expected)) {
            agreement = proposed;
        }
        return agreement;
    }

    AttemptAnswer attempt(Attempt attempt, StoreListener listener) {
        long now = clock.getAsLong();
        sweepIfGrown(now);
        for (Renewal held : attempt.held()) {
            if (find(held.grant(), now) == null) {
                return new AttemptAnswer.HeldGone(held.grant().key());
            }
        }
        attempt.held().forEach(held -> renew(held, now));
        List<Granted> granted = new ArrayList<>(attempt.claims().size());
        for (Claim claim : attempt.claims()) {
            LockRecord record = records.computeIfAbsent(claim.key(), LockRecord::new);
            refresh(record, now);
            Granted grant = take(record, claim, attempt, now);
            if (grant == null) {
                Obstacle obstacle = new Obstacle(claim.key(), describeFirst(record, now), record.firstEnd(now));
                if (!attempt.enqueue()) {
                    forgetIfIdle(record);
                    return new AttemptAnswer.Busy(granted, obstacle);
                }
                queue(record, claim, attempt, listener, now);
                return new AttemptAnswer.Queued(granted, obstacle);
            }
            granted.add(grant);
        }
        return new AttemptAnswer.All(granted);
    }

    private @Nullable Granted take(LockRecord record, Claim claim, Attempt attempt, long now) {
        Holder mine = record.holder(attempt.id());
        if (mine != null) {
            // A repeated attempt gets the same grant, with the time that is really left. During a lock-delay nothing is
            // left.
            return mine.isHeld(now) ? new Granted(mine.grant, mine.leaseLeft(now)) : null;
        }
        if (!record.admits(claim) || isBehindLiveWaiter(record, attempt.id(), now)) {
            return null;
        }
        record.leave(attempt.id());
        return grant(record, claim, attempt.id(), attempt.label(), attempt.tokenFloor(), claim.lease(), now);
    }

    private static boolean isBehindLiveWaiter(LockRecord record, OwnerId id, long now) {
        Place first = record.firstAlive(now);
        return first != null && !first.id.equals(id);
    }

    private static void queue(LockRecord record, Claim claim, Attempt attempt, StoreListener listener, long now) {
        Place place = record.place(attempt.id());
        if (place == null) {
            place = new Place(
                    attempt.id(), claim, attempt.label(), attempt.heartbeatWithin(), attempt.tokenFloor(), listener);
            record.enqueue(place);
        }
        place.heartbeatAtNanos = now;
    }

    private Granted grant(
            LockRecord record, Claim claim, OwnerId id, String label, long tokenFloor, Duration lease, long now) {
        long number = Math.max(lastGrant, tokenFloor) + 1;
        if (number > FencingToken.MAX_GRANT) {
            throw StoreException.refused("Grant numbers are used up: " + number + " is more than 53 bits");
        }
        lastGrant = number;
        Holder holder = new Holder(new Grant(record.key, id, number), claim, label, now);
        holder.extend(now, lease, Duration.ZERO);
        if (lease.equals(claim.lease())) {
            holder.extend(now, lease, claim.lockDelay());
        }
        record.holders.add(holder);
        return new Granted(holder.grant, lease);
    }

    /** Removes expired holders and grants the key to live waiters, in the order of arrival. */
    private void refresh(LockRecord record, long now) {
        record.dropExpired(now);
        for (Place next = record.firstAlive(now);
                next != null && record.admits(next.claim) && record.holder(next.id) == null;
                next = record.firstAlive(now)) {
            Granted granted =
                    grant(record, next.claim, next.id, next.label, next.tokenFloor, next.heartbeatWithin, now);
            record.leave(next.id);
            pushes.add(new Push(next.listener, granted));
        }
    }

    WaitAnswer keepWaiting(OwnerId id, LockKey key) {
        long now = clock.getAsLong();
        LockRecord record = records.get(key);
        if (record == null) {
            return new WaitAnswer.Forgotten();
        }
        Place place = record.place(id);
        if (place != null) {
            place.heartbeatAtNanos = now;
        }
        refresh(record, now);
        Holder mine = record.holder(id);
        WaitAnswer answer = mine != null && mine.isHeld(now)
                ? new WaitAnswer.Won(new Granted(mine.grant, mine.leaseLeft(now)))
                : record.place(id) != null ? new WaitAnswer.Waiting(record.firstEnd(now)) : new WaitAnswer.Forgotten();
        forgetIfIdle(record);
        return answer;
    }

    List<Granted> withdraw(OwnerId id, List<LockKey> keys) {
        long now = clock.getAsLong();
        List<Granted> granted = new ArrayList<>();
        for (LockKey key : keys) {
            LockRecord record = records.get(key);
            if (record != null) {
                record.leave(id);
                refresh(record, now);
                Holder mine = record.holder(id);
                if (mine != null && mine.isHeld(now)) {
                    granted.add(new Granted(mine.grant, mine.leaseLeft(now)));
                }
                forgetIfIdle(record);
            }
        }
        return granted;
    }

    RenewalAnswer renew(Renewal renewal) {
        return renew(renewal, clock.getAsLong());
    }

    private RenewalAnswer renew(Renewal renewal, long now) {
        Holder holder = find(renewal.grant(), now);
        if (holder == null) {
            return new RenewalAnswer.Gone(whyGone(renewal.grant()));
        }
        holder.extend(now, renewal.lease(), renewal.lockDelay());
        return new RenewalAnswer.Extended(holder.leaseLeft(now));
    }

    private @Nullable Holder find(Grant grant, long now) {
        LockRecord record = records.get(grant.key());
        return record == null ? null : record.holder(grant, now);
    }

    private LossReason whyGone(Grant grant) {
        if (forced.containsKey(grant.number())) {
            return LossReason.FORCED;
        }
        LockRecord record = records.get(grant.key());
        boolean taken = record != null && record.holders.stream().anyMatch(h -> h.grant.number() > grant.number());
        return taken ? LossReason.REPLACED : LossReason.EXPIRED;
    }

    ReleaseAnswer release(Grant grant) {
        long now = clock.getAsLong();
        LockRecord record = records.get(grant.key());
        if (record == null) {
            return ReleaseAnswer.NOT_HELD;
        }
        Holder holder = record.holder(grant, now);
        boolean wasHeld = holder != null && record.holders.remove(holder);
        refresh(record, now);
        forgetIfIdle(record);
        return wasHeld ? ReleaseAnswer.RELEASED : ReleaseAnswer.NOT_HELD;
    }

    int forceRelease(LockKey key) {
        long now = clock.getAsLong();
        LockRecord record = records.get(key);
        if (record == null) {
            return 0;
        }
        record.dropExpired(now);
        int holders = record.holders.size();
        record.holders.forEach(holder -> forced.put(holder.grant.number(), key));
        record.holders.clear();
        refresh(record, now);
        forgetIfIdle(record);
        return holders;
    }

    LockPage snapshot(SnapshotQuery query, Instant takenAt) {
        long now = clock.getAsLong();
        List<LockKey> names = records.keySet().stream()
                .filter(key -> key.name().startsWith(query.prefix()))
                .filter(key -> query.after().isEmpty()
                        || key.compareTo(LockKey.of(query.after().get())) > 0)
                .sorted()
                .limit(query.limit() + 1L)
                .toList();
        List<LockSnapshot> page = new ArrayList<>();
        for (LockKey key : names.subList(0, Math.min(query.limit(), names.size()))) {
            LockRecord record = records.get(key);
            if (record != null) {
                refresh(record, now);
                page.add(new LockSnapshot(key, record.describeHolders(now), record.waiters()));
                forgetIfIdle(record);
            }
        }
        boolean more = names.size() > query.limit();
        page.removeIf(lock -> lock.holders().isEmpty() && lock.waiters() == 0);
        Optional<String> next = more ? Optional.of(names.get(query.limit() - 1).name()) : Optional.empty();
        return new LockPage(page, next, takenAt);
    }

    List<WaitReport> exchange(WaitReportExchange exchange) {
        long now = clock.getAsLong();
        long until = now + exchange.keepFor().toNanos();
        reports.values().removeIf(stored -> stored.untilNanos <= now);
        reports.keySet().removeAll(exchange.removed());
        exchange.written().forEach(report -> reports.put(report.id(), new StoredReport(report, until)));
        return exchange.read()
                ? reports.values().stream().map(StoredReport::report).toList()
                : List.of();
    }

    List<Push> takePushes() {
        if (pushes.isEmpty()) {
            return List.of();
        }
        List<Push> taken = pushes;
        pushes = new ArrayList<>();
        return taken;
    }

    private static Optional<LockSnapshot.Holder> describeFirst(LockRecord record, long now) {
        return record.holders.isEmpty()
                ? Optional.empty()
                : Optional.of(LockRecord.describe(record.holders.get(0), now));
    }

    private void forgetIfIdle(LockRecord record) {
        if (record.isIdle()) {
            records.remove(record.key, record);
        }
    }

    private void sweepIfGrown(long now) {
        if (records.size() >= sweepAt) {
            records.values().removeIf(record -> {
                refresh(record, now);
                return record.isIdle();
            });
            sweepAt = Math.max(SWEEP_FLOOR, records.size() * SWEEP_FACTOR);
        }
    }
}
