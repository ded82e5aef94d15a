package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.Place;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lock store in Redis's words: every method is one script call per slot, and where there are no slots just one.
 *
 * <p>In a cluster an attempt on several slots takes them one after the other in the order given. It stops at the first busy one, so
 * what it holds is always a prefix.
 */
final class RedisLockStore implements LockStore {
    private final RedisKeys keys;
    private final Servers servers;
    private final Seen seen;
    private final ServerTime time;
    private final String listener;
    private final Snapshots snapshots;
    private final @Nullable ReplicaAck ack;
    private final Pushes pushes;
    private final Unsent unsent = new Unsent();
    private final SharedTrips trips;
    private final long patienceMillis;

    RedisLockStore(RedisClients clients, StoreContext context) {
        this.keys = clients.keys();
        this.servers = clients.servers();
        this.seen = clients.seen();
        this.time = clients.time();
        this.listener = UUID.randomUUID().toString().replace("-", "").substring(0, 16);
        this.patienceMillis = clients.options().silence().toMillis() / 2;
        this.snapshots = new Snapshots(keys, servers, context.surroundings()::wall);
        RedisBackend.Durability durability = clients.options().durability();
        this.ack = durability.replicas() == 0 ? null : new ReplicaAck(keys, servers, this::release, durability);
        this.trips = new SharedTrips(this, keys, servers, seen, unsent);
        this.pushes = clients.listen(keys.channel(listener), context.listener(), this::noticed);
    }

    @Override
    public CompletionStage<String> terms(String expected, String proposed) {
        Call call = new Call(Script.TERMS, 1, 2).key(keys.terms()).arg(expected).arg(proposed);
        return servers.call(keys.slot(keys.terms()), call, Reply::text);
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt) {
        if (attempt.enqueue() && !pushes.tried().isDone()) {
            CompletableFuture<AttemptAnswer> withdrawn = new CompletableFuture<>();
            unsent.waits(attempt.id(), withdrawn);
            return pushes.tried()
                    .thenCompose(done -> unsent.remove(attempt.id(), withdrawn) ? attempt(attempt) : withdrawn);
        }
        if (ack == null && servers.isAlone() && SharedTrips.suit(attempt)) {
            return trips.take(attempt);
        }
        int slot = keys.slot(keys.lock(attempt.claims().get(0).key()));
        if (!servers.isAlone() && !isWithin(slot, attempt)) {
            return new AttemptOnSlots(this, keys, attempt).run();
        }
        return attempt(slot, attempt, attempt.claims(), attempt.held());
    }

    private boolean isWithin(int slot, Attempt attempt) {
        return attempt.claims().stream().allMatch(claim -> keys.slot(keys.lock(claim.key())) == slot)
                && attempt.held().stream()
                        .allMatch(held -> keys.slot(keys.lock(held.grant().key())) == slot);
    }

    /** Takes claims of one slot. */
    CompletableFuture<AttemptAnswer> attempt(int slot, Attempt attempt, List<Claim> claims, List<Renewal> held) {
        CompletableFuture<AttemptAnswer> answer = servers.call(
                slot,
                attempting(slot, attempt, claims, held),
                reply -> attempted(slot, reply, attempt.id(), claims, held));
        ReplicaAck confirming = ack;
        return confirming == null ? answer : answer.thenCompose(it -> confirming.confirm(slot, it, claims));
    }

    Call attempting(int slot, Attempt attempt, List<Claim> claims, List<Renewal> held) {
        long commonLease = held.isEmpty() ? commonLease(claims) : 0;
        int claimArgs = commonLease == 0 ? claims.size() : 0;
        Call call = new Call(Script.ATTEMPT, 2 + claims.size() + held.size(), 5 + claimArgs + 3 * held.size());
        call.key(keys.counter(slot)).key(keys.mark(slot));
        for (Claim claim : claims) {
            call.key(keys.lock(claim.key()));
        }
        held.forEach(renewal -> call.key(keys.lock(renewal.grant().key())));
        call.arg(Owners.encode(attempt.id()))
                .arg(commonLease > 0 ? Long.toString(commonLease) : "")
                .arg(Math.max(seen.at(slot), attempt.tokenFloor()))
                .arg(valueRest(attempt.label()))
                .arg((servers.isAlone() ? "1 " : "0 ")
                        + (attempt.enqueue() ? "1 " : "0 ")
                        + millis(attempt.heardWithin())
                        + ' '
                        + claims.size()
                        + ' '
                        + listener);
        if (commonLease == 0) {
            claims.forEach(claim -> call.arg(describe(claim)));
        }
        held.forEach(renewal -> renewal(call, renewal));
        return call;
    }

    AttemptAnswer attempted(int slot, Object reply, OwnerId owner, List<Claim> claims, List<Renewal> held) {
        return noticed(slot, Answers.attempt(reply, owner, claims, held));
    }

    /** What an exclusive value says after owner and number. */
    String valueRest(String label) {
        return "#-#" + time.millis() + '#' + label;
    }

    /** The lease of claims that need nothing but a plain key each; 0 if they are not all alike. */
    static long commonLease(List<Claim> claims) {
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

    private static String describe(Claim claim) {
        char mode = switch (claim.mode()) {
            case EXCLUSIVE -> 'E';
            case SHARED -> 'S';
            case PERMITS -> 'P';
        };
        return mode + " " + claim.permits() + ' ' + claim.capacity() + ' ' + millis(claim.lease()) + ' '
                + delayMillis(claim.lockDelay());
    }

    private AttemptAnswer noticed(int slot, AttemptAnswer answer) {
        List<Granted> granted = answer instanceof AttemptAnswer.All all
                ? all.granted()
                : answer instanceof AttemptAnswer.Queued queued
                        ? queued.granted()
                        : answer instanceof AttemptAnswer.Busy busy ? busy.granted() : List.of();
        granted.forEach(grant -> seen.raise(slot, grant.grant().number()));
        return answer;
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<Place> places) {
        return bySlot(places, Place::key, (slot, group) -> {
            Call call = drawing(Script.WAIT, slot, group.size(), group.size());
            for (Place place : group) {
                call.key(keys.lock(place.key())).arg(Owners.encode(place.id()));
            }
            return servers.call(slot, call, reply -> {
                List<?> answers = Reply.list(reply);
                List<WaitAnswer> waiting = new ArrayList<>(group.size());
                for (int i = 0; i < group.size(); i++) {
                    Place place = group.get(i);
                    WaitAnswer answer = Answers.waiting(answers.get(i), place.id(), place.key());
                    waiting.add(
                            answer instanceof WaitAnswer.Won won
                                    ? new WaitAnswer.Won(noticed(slot, won.granted()))
                                    : answer);
                }
                return waiting;
            });
        });
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> withdrawn) {
        unsent.withdraw(id);
        return this.<LockKey, Optional<Granted>>bySlot(withdrawn, key -> key, (slot, group) -> {
                    Call call = drawing(Script.WITHDRAW, slot, group.size(), 1).arg(Owners.encode(id));
                    group.forEach(key -> call.key(keys.lock(key)));
                    return servers.call(slot, call, reply -> {
                        List<?> answers = Reply.list(reply);
                        List<Optional<Granted>> granted = new ArrayList<>(group.size());
                        for (int i = 0; i < group.size(); i++) {
                            Optional<Granted> grant = Answers.withdrawn(answers.get(i), id, group.get(i));
                            granted.add(grant.map(it -> noticed(slot, it)));
                        }
                        return granted;
                    });
                })
                .thenApply(granted -> granted.stream().flatMap(Optional::stream).toList());
    }

    /** A grant that came without an attempt's answer. If replicas must have it, it does not count before its first renewal. */
    private Granted noticed(Granted granted) {
        return noticed(keys.slot(keys.lock(granted.grant().key())), granted);
    }

    private Granted noticed(int slot, Granted granted) {
        seen.raise(slot, granted.grant().number());
        if (ack == null) {
            return granted;
        }
        ack.owes(granted);
        return new Granted(granted.grant(), Duration.ZERO);
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return bySlot(renewals, renewal -> renewal.grant().key(), (slot, group) -> {
            CompletableFuture<List<RenewalAnswer>> answers =
                    ack == null ? renew(slot, group) : ack.renew(slot, group, this::renew);
            // One server of several that cannot be reached must not cost the leases on the others: nothing is extended
            // there. Nor may it delay them until the caller gives up.
            List<RenewalAnswer> notExtended = group.stream()
                    .<RenewalAnswer>map(renewal -> new RenewalAnswer.Extended(Duration.ZERO))
                    .toList();
            return servers.isAlone()
                    ? answers
                    : answers.exceptionally(error -> notExtended)
                            .completeOnTimeout(notExtended, patienceMillis, TimeUnit.MILLISECONDS);
        });
    }

    /** Extends grants of one slot. */
    CompletableFuture<List<RenewalAnswer>> renew(int slot, List<Renewal> renewals) {
        return servers.wire(slot)
                .thenCompose(
                        wire -> servers.call(slot, renewing(keys, slot, wire, renewals), RedisLockStore::renewals));
    }

    static Call renewing(RedisKeys keys, int slot, Wire wire, List<Renewal> renewals) {
        Call call = new Call(Script.RENEW, renewals.size(), 1 + 3 * renewals.size());
        call.arg(wire.facts().isAtLeast(7, 0) ? "1" : "0");
        for (Renewal renewal : renewals) {
            call.key(keys.lock(renewal.grant().key()));
            renewal(call, renewal);
        }
        return call;
    }

    static List<RenewalAnswer> renewals(Object reply) {
        List<RenewalAnswer> answers = new ArrayList<>();
        Reply.list(reply).forEach(answer -> answers.add(Answers.renewal(answer)));
        return answers;
    }

    private static void renewal(Call call, Renewal renewal) {
        call.arg(Owners.name(renewal.grant())).arg(millis(renewal.lease())).arg(delayMillis(renewal.lockDelay()));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants) {
        return servers.isAlone() && grants.size() <= Gathering.MOST_LOCKS
                ? trips.release(grants)
                : bySlot(grants, Grant::key, this::release);
    }

    /** Ends grants of one slot. */
    CompletableFuture<List<ReleaseAnswer>> release(int slot, List<Grant> grants) {
        return servers.call(slot, releasing(slot, grants), reply -> released(reply, 0, grants.size()));
    }

    Call releasing(int slot, List<Grant> grants) {
        Call call = drawing(Script.RELEASE, slot, grants.size(), grants.size());
        for (Grant grant : grants) {
            call.key(keys.lock(grant.key())).arg(Owners.name(grant));
        }
        return call;
    }

    /** What a reply says about some of the grants it is about. */
    static List<ReleaseAnswer> released(Object reply, int from, int to) {
        List<ReleaseAnswer> answers = new ArrayList<>(to - from);
        for (int i = from; i < to; i++) {
            boolean released =
                    reply instanceof Long || Reply.number(Reply.list(reply).get(i)) == 1;
            answers.add(released ? ReleaseAnswer.RELEASED : ReleaseAnswer.NOT_HELD);
        }
        return answers;
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return snapshots.take(query);
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        String lock = keys.lock(key);
        int slot = keys.slot(lock);
        return servers.call(
                slot, drawing(Script.FORCE, slot, 1, 0).key(lock), reply -> Math.toIntExact(Reply.number(reply)));
    }

    @Override
    public CompletionStage<List<WaitNote>> exchange(WaitNotes notes) {
        Call call = new Call(
                        Script.NOTES,
                        1,
                        3 + 2 * notes.written().size() + notes.removed().size())
                .key(keys.notes())
                .arg(millis(notes.kept()))
                .arg(notes.read() ? 1 : 0)
                .arg(notes.written().size());
        notes.written().forEach(note -> call.arg(note.id()).arg(note.text()));
        notes.removed().forEach(call::arg);
        return servers.call(keys.slot(keys.notes()), call, reply -> {
            List<WaitNote> read = new ArrayList<>();
            for (Iterator<?> parts = Reply.list(reply).iterator(); parts.hasNext(); ) {
                read.add(new WaitNote(Reply.text(parts.next()), Reply.text(parts.next())));
            }
            return read;
        });
    }

    @Override
    public void close() {
        pushes.close();
    }

    /** A call of a script that may hand a lock over and so draws a number. */
    private Call drawing(Script script, int slot, int locks, int args) {
        return new Call(script, 2 + locks, 1 + args)
                .key(keys.counter(slot))
                .key(keys.mark(slot))
                .arg(seen.at(slot) + (servers.isAlone() ? " 1" : " 0"));
    }

    private interface SlotCall<A, B> {
        CompletableFuture<List<B>> call(int slot, List<A> group);
    }

    private <A, B> CompletableFuture<List<B>> bySlot(List<A> entries, Function<A, LockKey> key, SlotCall<A, B> call) {
        return servers.isAlone()
                ? call.call(0, entries)
                : Slots.each(entries, entry -> keys.slot(keys.lock(key.apply(entry))), call::call);
    }

    /** Rounded up, so that a lease is never shorter in Redis than its holder believes. */
    static long millis(Duration duration) {
        return Math.max(1, delayMillis(duration));
    }

    private static long delayMillis(Duration duration) {
        return Math.addExact(duration.toMillis(), duration.toNanosPart() % 1_000_000 == 0 ? 0 : 1);
    }
}
