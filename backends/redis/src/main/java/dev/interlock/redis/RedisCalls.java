package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The script call of every operation: the keys and arguments that go in, and below them how to read the reply.
 *
 * <p>A call is about one slot; outside a cluster that is slot 0. Reading a reply also remembers the highest grant
 * number in it. It sends nothing itself. Thread-safe.
 */
final class RedisCalls {
    private static final String UNKNOWN = "unknown";

    private final RedisKeys keys;
    private final HighestNumbers highest;
    private final ServerTime time;
    private final boolean singleServer;
    private final String listener;

    /** @param listener names the channel on which this process receives its grants */
    RedisCalls(RedisKeys keys, HighestNumbers highest, ServerTime time, boolean singleServer, String listener) {
        this.keys = keys;
        this.highest = highest;
        this.time = time;
        this.singleServer = singleServer;
        this.listener = listener;
    }

    // Namespace agreement

    ScriptCall agree(String expected, String proposed) {
        return new ScriptCall(Script.AGREEMENT, 1, 2)
                .key(keys.agreement())
                .arg(expected)
                .arg(proposed);
    }

    static String agreed(Object reply) {
        return RedisReply.text(reply);
    }

    // Attempt

    ScriptCall attempt(int slot, Attempt attempt, List<Claim> claims, List<Renewal> held) {
        long commonLease = held.isEmpty() ? commonLeaseMillis(claims) : 0;
        int claimArgs = commonLease == 0 ? claims.size() : 0;
        ScriptCall call =
                new ScriptCall(Script.ATTEMPT, 2 + claims.size() + held.size(), 5 + claimArgs + 3 * held.size());
        call.key(keys.counter(slot)).key(keys.quarantine(slot));
        for (Claim claim : claims) {
            call.key(keys.lock(claim.key()));
        }
        held.forEach(renewal -> call.key(keys.lock(renewal.grant().key())));
        call.arg(OwnerText.encode(attempt.id()))
                .arg(commonLease > 0 ? Long.toString(commonLease) : "")
                .arg(Math.max(highest.at(slot), attempt.tokenFloor()))
                .arg(valueTail(attempt.label()))
                .arg((singleServer ? "1 " : "0 ")
                        + (attempt.enqueue() ? "1 " : "0 ")
                        + millis(attempt.heartbeatWithin())
                        + ' '
                        + claims.size()
                        + ' '
                        + listener);
        if (commonLease == 0) {
            claims.forEach(claim -> call.arg(describe(claim)));
        }
        held.forEach(renewal -> addRenewal(call, renewal));
        return call;
    }

    private static String describe(Claim claim) {
        char mode = switch (claim.mode()) {
            case EXCLUSIVE -> 'E';
            case SHARED -> 'S';
            case PERMITS -> 'P';
        };
        return mode + " " + claim.permits() + ' ' + claim.capacity() + ' ' + millis(claim.lease()) + ' '
                + delayMillis(claim.lockDelay());
    }

    /** The reply is a bare number if every lock was free, otherwise a word and its details. */
    AttemptAnswer attempted(int slot, Object reply, OwnerId owner, List<Claim> claims, List<Renewal> held) {
        if (reply instanceof Long number) {
            highest.raise(slot, number);
            List<Granted> granted = new ArrayList<>(claims.size());
            for (Claim claim : claims) {
                granted.add(new Granted(new Grant(claim.key(), owner, number), claim.lease()));
            }
            return new AttemptAnswer.All(granted);
        }
        List<?> parts = RedisReply.list(reply);
        String word = RedisReply.text(parts.get(0));
        return switch (word) {
            case "all" -> new AttemptAnswer.All(granted(slot, parts.get(1), owner, claims));
            case "queued" -> {
                List<Granted> granted = granted(slot, parts.get(1), owner, claims);
                yield new AttemptAnswer.Queued(
                        granted, obstacle(claims.get(granted.size()).key(), parts));
            }
            case "busy" -> {
                List<Granted> granted = granted(slot, parts.get(1), owner, claims);
                yield new AttemptAnswer.Busy(
                        granted, obstacle(claims.get(granted.size()).key(), parts));
            }
            case "gone" ->
                new AttemptAnswer.HeldGone(
                        held.get((int) RedisReply.number(parts.get(1))).grant().key());
            case "quarantined" ->
                throw StoreException.notNow(
                        "Redis may have lost locks that are still held and grants none until they have ended,"
                                + " for another " + Duration.ofMillis(RedisReply.number(parts.get(1))),
                        null);
            case "wrong-type" ->
                throw StoreException.refused("The Redis key of lock \""
                        + key((int) RedisReply.number(parts.get(1)), claims, held) + "\" holds a "
                        + RedisReply.text(parts.get(2))
                        + " that Interlock did not write: remove it, or choose another name or namespace");
            default -> throw new IllegalStateException("The script answered " + word);
        };
    }

    private static LockKey key(int index, List<Claim> claims, List<Renewal> held) {
        return index < claims.size()
                ? claims.get(index).key()
                : held.get(index - claims.size()).grant().key();
    }

    private List<Granted> granted(int slot, @Nullable Object reply, OwnerId owner, List<Claim> claims) {
        List<?> grants = RedisReply.list(reply);
        List<Granted> granted = new ArrayList<>(grants.size());
        for (int i = 0; i < grants.size(); i++) {
            granted.add(granted(
                    slot, RedisReply.list(grants.get(i)), owner, claims.get(i).key()));
        }
        return granted;
    }

    private static AttemptAnswer.Obstacle obstacle(LockKey key, List<?> parts) {
        // The server drops a false at the end of a script's list.
        Object holder = parts.size() > 3 ? parts.get(3) : null;
        return new AttemptAnswer.Obstacle(
                key,
                holder == null ? Optional.empty() : Optional.of(holder(RedisReply.list(holder))),
                Duration.ofMillis(RedisReply.number(parts.get(2))));
    }

    // Several attempts on free locks

    /**
     * One call for attempts with the same lease that need nothing but free locks, see {@link AttemptBatches#accepts}.
     */
    <T> ScriptCall attemptBatch(List<T> batch, Function<T, Attempt> attemptOf) {
        int locks = 0;
        for (T entry : batch) {
            locks += attemptOf.apply(entry).claims().size();
        }
        Attempt first = attemptOf.apply(batch.get(0));
        ScriptCall call = new ScriptCall(Script.ATTEMPT_BATCH, 2 + locks, 3 + 2 * batch.size())
                .key(keys.counter(0))
                .key(keys.quarantine(0))
                .arg(highest.at(0))
                .arg(valueTail(first.label()))
                .arg(millis(first.claims().get(0).lease()));
        for (T entry : batch) {
            Attempt attempt = attemptOf.apply(entry);
            for (Claim claim : attempt.claims()) {
                call.key(keys.lock(claim.key()));
            }
            call.arg(OwnerText.encode(attempt.id())).arg(attempt.claims().size());
        }
        return call;
    }

    /**
     * The answer to one attempt of a batch; null if its locks were not all free, so that it must be sent again alone.
     */
    @Nullable
    AttemptAnswer attemptedInBatch(Object reply, int index, Attempt attempt) {
        Object number = RedisReply.list(reply).get(index);
        return RedisReply.number(number) == 0 ? null : attempted(0, number, attempt.id(), attempt.claims(), List.of());
    }

    // Heartbeat

    ScriptCall heartbeat(int slot, List<PlaceId> places) {
        ScriptCall call = handingOver(Script.HEARTBEAT, slot, places.size(), places.size());
        for (PlaceId place : places) {
            call.key(keys.lock(place.key())).arg(OwnerText.encode(place.id()));
        }
        return call;
    }

    /** @param handedOver applied to each grant that the server made to a waiter */
    List<WaitAnswer> heartbeats(int slot, Object reply, List<PlaceId> places, UnaryOperator<Granted> handedOver) {
        List<?> answers = RedisReply.list(reply);
        List<WaitAnswer> waiting = new ArrayList<>(places.size());
        for (int i = 0; i < places.size(); i++) {
            PlaceId place = places.get(i);
            List<?> parts = RedisReply.list(answers.get(i));
            waiting.add(
                    switch (parts.size()) {
                        case 0 -> new WaitAnswer.Forgotten();
                        case 1 -> new WaitAnswer.Waiting(Duration.ofMillis(RedisReply.number(parts.get(0))));
                        default -> new WaitAnswer.Won(handedOver.apply(granted(slot, parts, place.id(), place.key())));
                    });
        }
        return waiting;
    }

    // Withdrawal

    ScriptCall withdraw(int slot, OwnerId owner, List<LockKey> locks) {
        ScriptCall call = handingOver(Script.WITHDRAW, slot, locks.size(), 1).arg(OwnerText.encode(owner));
        locks.forEach(lock -> call.key(keys.lock(lock)));
        return call;
    }

    /** @param handedOver applied to each grant that the server made to a waiter */
    List<Optional<Granted>> withdrawn(
            int slot, Object reply, OwnerId owner, List<LockKey> locks, UnaryOperator<Granted> handedOver) {
        List<?> answers = RedisReply.list(reply);
        List<Optional<Granted>> granted = new ArrayList<>(locks.size());
        for (int i = 0; i < locks.size(); i++) {
            List<?> parts = RedisReply.list(answers.get(i));
            granted.add(
                    parts.isEmpty()
                            ? Optional.empty()
                            : Optional.of(handedOver.apply(granted(slot, parts, owner, locks.get(i)))));
        }
        return granted;
    }

    // Renewal

    ScriptCall renew(ServerFacts server, List<Renewal> renewals) {
        ScriptCall call = new ScriptCall(Script.RENEW, renewals.size(), 1 + 3 * renewals.size());
        call.arg(server.isAtLeast(7, 0) ? "1" : "0");
        for (Renewal renewal : renewals) {
            call.key(keys.lock(renewal.grant().key()));
            addRenewal(call, renewal);
        }
        return call;
    }

    private static void addRenewal(ScriptCall call, Renewal renewal) {
        call.arg(OwnerText.encode(renewal.grant())).arg(millis(renewal.lease())).arg(delayMillis(renewal.lockDelay()));
    }

    static List<RenewalAnswer> renewed(Object reply) {
        List<RenewalAnswer> answers = new ArrayList<>();
        RedisReply.list(reply).forEach(answer -> {
            long left = RedisReply.number(answer);
            answers.add(
                    left >= 0
                            ? new RenewalAnswer.Extended(Duration.ofMillis(left))
                            : new RenewalAnswer.Gone(
                                    left == -3
                                            ? LossReason.FORCED
                                            : left == -2 ? LossReason.REPLACED : LossReason.EXPIRED));
        });
        return answers;
    }

    // Release

    ScriptCall release(int slot, List<Grant> grants) {
        ScriptCall call = handingOver(Script.RELEASE, slot, grants.size(), grants.size());
        for (Grant grant : grants) {
            call.key(keys.lock(grant.key())).arg(OwnerText.encode(grant));
        }
        return call;
    }

    /** The answers to the grants from one index of the call to another. */
    static List<ReleaseAnswer> released(Object reply, int from, int to) {
        List<ReleaseAnswer> answers = new ArrayList<>(to - from);
        for (int i = from; i < to; i++) {
            boolean released = reply instanceof Long
                    || RedisReply.number(RedisReply.list(reply).get(i)) == 1;
            answers.add(released ? ReleaseAnswer.RELEASED : ReleaseAnswer.NOT_HELD);
        }
        return answers;
    }

    ScriptCall forceRelease(LockKey key) {
        String lock = keys.lock(key);
        return handingOver(Script.FORCE_RELEASE, keys.slot(lock), 1, 0).key(lock);
    }

    static int forceReleased(Object reply) {
        return Math.toIntExact(RedisReply.number(reply));
    }

    // Wait reports

    ScriptCall exchange(WaitReportExchange exchange) {
        int args = 3 + 2 * exchange.written().size() + exchange.removed().size();
        ScriptCall call = new ScriptCall(Script.WAIT_REPORTS, 1, args)
                .key(keys.waitReports())
                .arg(millis(exchange.keepFor()))
                .arg(exchange.read() ? 1 : 0)
                .arg(exchange.written().size());
        exchange.written().forEach(report -> call.arg(report.id()).arg(report.text()));
        exchange.removed().forEach(call::arg);
        return call;
    }

    static List<WaitReport> exchanged(Object reply) {
        List<WaitReport> reports = new ArrayList<>();
        for (Iterator<?> parts = RedisReply.list(reply).iterator(); parts.hasNext(); ) {
            reports.add(new WaitReport(RedisReply.text(parts.next()), RedisReply.text(parts.next())));
        }
        return reports;
    }

    // Snapshot

    ScriptCall describe(int slot, List<LockKey> locks) {
        ScriptCall call = new ScriptCall(Script.DESCRIBE, 1 + locks.size(), 0).key(keys.quarantine(slot));
        locks.forEach(lock -> call.key(keys.lock(lock)));
        return call;
    }

    static List<LockSnapshot> described(Object reply, List<LockKey> locks) {
        List<?> answers = RedisReply.list(reply);
        List<LockSnapshot> snapshots = new ArrayList<>(locks.size());
        for (int i = 0; i < locks.size(); i++) {
            List<?> parts = RedisReply.list(answers.get(i));
            List<LockSnapshot.Holder> holders = new ArrayList<>();
            for (Object holder : parts.subList(1, parts.size())) {
                holders.add(holder(RedisReply.list(holder)));
            }
            snapshots.add(new LockSnapshot(locks.get(i), holders, (int) RedisReply.number(parts.get(0))));
        }
        return snapshots;
    }

    // New connections

    /**
     * Raises a slot's counter to the server's clock, and closes the slot to grants for as long as the quarantine lasts.
     */
    static ScriptCall raiseCounter(RedisKeys keys, int slot, long quarantineMillis) {
        return new ScriptCall(Script.RAISE_COUNTER, 2, 1)
                .key(keys.counter(slot))
                .key(keys.quarantine(slot))
                .arg(quarantineMillis);
    }

    /** The number to which the counter was raised. */
    static long raisedTo(Object reply) {
        return RedisReply.number(RedisReply.list(reply).get(0));
    }

    static ScriptCall probe(RedisKeys keys) {
        return new ScriptCall(Script.PROBE, 1, 1).key(keys.probe()).arg(keys.channel("probe"));
    }

    /** The commands that the server refused to this user, each with its reason. */
    static List<String> refused(Object reply) {
        return RedisReply.list(reply).stream().map(RedisReply::text).toList();
    }

    // Common parts

    /** A call of a script that may hand a lock over, and so draw a grant number. */
    private ScriptCall handingOver(Script script, int slot, int locks, int args) {
        return new ScriptCall(script, 2 + locks, 1 + args)
                .key(keys.counter(slot))
                .key(keys.quarantine(slot))
                .arg(highest.at(slot) + (singleServer ? " 1" : " 0"));
    }

    private Granted granted(int slot, List<?> numberAndLease, OwnerId owner, LockKey key) {
        long number = RedisReply.number(numberAndLease.get(0));
        highest.raise(slot, number);
        return new Granted(new Grant(key, owner, number), Duration.ofMillis(RedisReply.number(numberAndLease.get(1))));
    }

    private static LockSnapshot.Holder holder(List<?> parts) {
        String mode = RedisReply.text(parts.get(2));
        boolean foreign = mode.equals("F");
        return new LockSnapshot.Holder(
                foreign ? UNKNOWN : RedisReply.text(parts.get(1)),
                foreign ? UNKNOWN : owner(RedisReply.text(parts.get(0))),
                mode.equals("S") ? LockMode.SHARED : mode.equals("P") ? LockMode.PERMITS : LockMode.EXCLUSIVE,
                (int) RedisReply.number(parts.get(3)),
                RedisReply.number(parts.get(4)),
                Duration.ofMillis(RedisReply.number(parts.get(5))),
                Duration.ofMillis(RedisReply.number(parts.get(6))));
    }

    /** A foreign client may have written a value that resembles ours, so the owner may not parse. */
    private static String owner(String text) {
        try {
            return OwnerText.decode(text).toString();
        } catch (IllegalArgumentException foreign) {
            return UNKNOWN;
        }
    }

    /** The part of an exclusive lock's value that follows owner and number. */
    private String valueTail(String label) {
        return "#-#" + time.millis() + '#' + label;
    }

    /**
     * The lease of claims that need only a plain key each: exclusive, without lock-delay, equally long. Otherwise 0.
     */
    static long commonLeaseMillis(List<Claim> claims) {
        Duration lease = claims.get(0).lease();
        for (Claim claim : claims) {
            if (claim.mode() != LockMode.EXCLUSIVE
                    || !claim.lockDelay().isZero()
                    || !claim.lease().equals(lease)) {
                return 0;
            }
        }
        return millis(lease);
    }

    /** Rounded up, so that a lease in Redis is never shorter than its holder believes. */
    private static long millis(Duration duration) {
        return Math.max(1, delayMillis(duration));
    }

    private static long delayMillis(Duration duration) {
        return Math.addExact(duration.toMillis(), duration.toNanosPart() % 1_000_000 == 0 ? 0 : 1);
    }
}
