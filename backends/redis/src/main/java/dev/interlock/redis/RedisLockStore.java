package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lock store in Redis. Every operation is one script call per slot, so outside a cluster it is one call.
 * {@link RedisCalls} builds the calls and reads the replies.
 *
 * <p>In a cluster, an attempt on several slots takes them one after the other in the order given
 * ({@link ClusterAttempt}). It stops at the first busy lock, so what it holds is always a prefix of its claims.
 */
final class RedisLockStore implements LockStore {
    private final RedisKeys keys;
    private final Servers servers;
    private final HighestNumbers highest;
    private final RedisCalls calls;
    private final Snapshots snapshots;
    private final @Nullable ReplicaAck ack;
    private final RedisPushes pushes;
    private final UnsentAttempts unsent = new UnsentAttempts();
    private final Batcher<AttemptBatches.Sending, AttemptAnswer> attempts;
    private final Batcher<List<Grant>, List<ReleaseAnswer>> releases;
    private final long renewalLimitMillis;

    RedisLockStore(RedisClients clients, StoreContext context) {
        this.keys = clients.keys();
        this.servers = clients.servers();
        this.highest = clients.highest();
        this.renewalLimitMillis = clients.options().silenceLimit().toMillis() / 2;
        String listener = UUID.randomUUID().toString().replace("-", "").substring(0, 16);
        this.calls = new RedisCalls(keys, highest, clients.time(), servers.isSingle(), listener);
        this.snapshots = new Snapshots(keys, servers, calls, context.environment()::wall);
        RedisBackend.Durability durability = clients.options().durability();
        this.ack = durability.replicas() == 0 ? null : new ReplicaAck(calls, servers, this::release, durability);
        this.attempts = new Batcher<>(
                servers,
                new AttemptBatches(calls, unsent, attempt -> attempt(0, attempt, attempt.claims(), attempt.held())));
        this.releases = new Batcher<>(servers, new ReleaseBatches(calls, grants -> release(0, grants)));
        this.pushes = clients.subscribe(keys.channel(listener), context.listener(), this::pushed);
    }

    @Override
    public CompletionStage<String> agree(String expected, String proposed) {
        return servers.call(keys.slot(keys.agreement()), calls.agree(expected, proposed), RedisCalls::agreed);
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
        if (attempt.enqueue() && !pushes.tried().isDone()) {
            CompletableFuture<AttemptAnswer> withdrawn = new CompletableFuture<>();
            unsent.waiting(attempt.id(), withdrawn);
            return pushes.tried()
                    .thenCompose(done -> unsent.remove(attempt.id(), withdrawn) ? attempt(attempt, 0) : withdrawn);
        }
        if (ack == null && servers.isSingle() && AttemptBatches.accepts(attempt)) {
            AttemptBatches.Sending sending = new AttemptBatches.Sending(attempt);
            unsent.batched(attempt.id(), sending);
            return attempts.submit(sending);
        }
        int slot = keys.slot(keys.lock(attempt.claims().get(0).key()));
        if (!servers.isSingle() && !isWithin(slot, attempt)) {
            return new ClusterAttempt(this, keys, attempt).run();
        }
        return attempt(slot, attempt, attempt.claims(), attempt.held());
    }

    private boolean isWithin(int slot, Attempt attempt) {
        return attempt.claims().stream().allMatch(claim -> keys.slot(keys.lock(claim.key())) == slot)
                && attempt.held().stream()
                        .allMatch(held -> keys.slot(keys.lock(held.grant().key())) == slot);
    }

    /** Sends claims of one slot. */
    CompletableFuture<AttemptAnswer> attempt(int slot, Attempt attempt, List<Claim> claims, List<Renewal> held) {
        CompletableFuture<AttemptAnswer> answer = servers.call(
                slot,
                calls.attempt(slot, attempt, claims, held),
                reply -> calls.attempted(slot, reply, attempt.id(), claims, held));
        ReplicaAck confirming = ack;
        return confirming == null ? answer : answer.thenCompose(it -> confirming.confirm(slot, it, claims));
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
        return bySlot(
                places,
                PlaceId::key,
                (slot, group) -> servers.call(
                        slot,
                        calls.heartbeat(slot, group),
                        reply -> calls.heartbeats(slot, reply, group, this::handedOver)));
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> withdrawn) {
        unsent.withdraw(id);
        return this.<LockKey, Optional<Granted>>bySlot(
                        withdrawn,
                        key -> key,
                        (slot, group) -> servers.call(
                                slot,
                                calls.withdraw(slot, id, group),
                                reply -> calls.withdrawn(slot, reply, id, group, this::handedOver)))
                .thenApply(granted -> granted.stream().flatMap(Optional::stream).toList());
    }

    private Granted pushed(Granted granted) {
        highest.raise(
                keys.slot(keys.lock(granted.grant().key())), granted.grant().number());
        return handedOver(granted);
    }

    /**
     * A grant that the server made to a waiter. If replicas must acknowledge it, it counts only from its first renewal.
     */
    private Granted handedOver(Granted granted) {
        if (ack == null) {
            return granted;
        }
        ack.expect(granted);
        return new Granted(granted.grant(), Duration.ZERO);
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return bySlot(renewals, renewal -> renewal.grant().key(), (slot, group) -> {
            CompletableFuture<List<RenewalAnswer>> answers =
                    ack == null ? renew(slot, group) : ack.renew(slot, group, this::renew);
            // One unreachable server of a cluster must not cost the leases on the other servers, nor delay them until
            // the caller gives up. Its own leases are reported as not extended.
            List<RenewalAnswer> notExtended = group.stream()
                    .<RenewalAnswer>map(renewal -> new RenewalAnswer.Extended(Duration.ZERO))
                    .toList();
            return servers.isSingle()
                    ? answers
                    : answers.exceptionally(error -> notExtended)
                            .completeOnTimeout(notExtended, renewalLimitMillis, TimeUnit.MILLISECONDS);
        });
    }

    /** Extends grants of one slot. */
    CompletableFuture<List<RenewalAnswer>> renew(int slot, List<Renewal> renewals) {
        return servers.connection(slot)
                .thenCompose(connection ->
                        servers.call(slot, calls.renew(connection.facts(), renewals), RedisCalls::renewed));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos) {
        return servers.isSingle() && grants.size() <= Batcher.MAX_LOCKS
                ? releases.submit(grants)
                : bySlot(grants, Grant::key, this::release);
    }

    /** Ends grants of one slot. */
    CompletableFuture<List<ReleaseAnswer>> release(int slot, List<Grant> grants) {
        return servers.call(slot, calls.release(slot, grants), reply -> RedisCalls.released(reply, 0, grants.size()));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return snapshots.take(query);
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return servers.call(keys.slot(keys.lock(key)), calls.forceRelease(key), RedisCalls::forceReleased);
    }

    @Override
    public CompletionStage<List<WaitReport>> exchange(WaitReportExchange reports) {
        return servers.call(keys.slot(keys.waitReports()), calls.exchange(reports), RedisCalls::exchanged);
    }

    @Override
    public void close() {
        pushes.close();
    }

    private interface SlotCall<A, B> {
        CompletableFuture<List<B>> call(int slot, List<A> group);
    }

    private <A, B> CompletableFuture<List<B>> bySlot(List<A> entries, Function<A, LockKey> key, SlotCall<A, B> call) {
        return servers.isSingle()
                ? call.call(0, entries)
                : SlotGroups.each(entries, entry -> keys.slot(keys.lock(key.apply(entry))), call::call);
    }
}
