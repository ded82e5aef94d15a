package dev.interlock.redis;

import dev.interlock.lock.LossReason;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/**
 * Lets a grant count only once enough replicas have it.
 *
 * <p>Each grant is written once more by its holder, over a connection that is used for nothing else, followed there by {@code WAIT}:
 * that waits for the writes of its own connection only, and it blocks that connection ({@link ReplicaWait}). A grant that is not acknowledged in time is
 * released again. One that was pushed to a waiter owes its acknowledgement until its first renewal, which the engine makes before it
 * hands the lock out.
 */
final class ReplicaAck {
    /** A pushed grant that nobody ever renews is forgotten once so many are owed. */
    private static final int SWEEP_AT = 1_000;

    private final RedisKeys keys;
    private final Servers servers;
    private final BiFunction<Integer, List<Grant>, CompletableFuture<List<ReleaseAnswer>>> release;
    private final int replicas;
    private final Duration within;
    private final Map<Grant, Long> owed = new ConcurrentHashMap<>();

    ReplicaAck(
            RedisKeys keys,
            Servers servers,
            BiFunction<Integer, List<Grant>, CompletableFuture<List<ReleaseAnswer>>> release,
            RedisBackend.Durability durability) {
        this.keys = keys;
        this.servers = servers;
        this.release = release;
        this.replicas = durability.replicas();
        this.within = durability.within();
    }

    /** Notes a grant that was handed over by somebody else. */
    void owes(Granted granted) {
        long now = System.nanoTime();
        if (owed.size() >= SWEEP_AT) {
            owed.values().removeIf(until -> now - until > 0);
        }
        owed.put(granted.grant(), now + granted.lease().toNanos());
    }

    /** Confirms what an attempt was granted, before it is answered. */
    CompletableFuture<AttemptAnswer> confirm(int slot, AttemptAnswer answer, List<Claim> claims) {
        List<Granted> granted = answer instanceof AttemptAnswer.All all
                ? all.granted()
                : answer instanceof AttemptAnswer.Queued queued
                        ? queued.granted()
                        : answer instanceof AttemptAnswer.Busy busy ? busy.granted() : List.of();
        if (granted.isEmpty()) {
            return CompletableFuture.completedFuture(answer);
        }
        List<Renewal> renewals = new ArrayList<>(granted.size());
        for (int i = 0; i < granted.size(); i++) {
            // Only what is left: a repeated attempt extends nothing.
            renewals.add(new Renewal(
                    granted.get(i).grant(),
                    granted.get(i).lease(),
                    claims.get(i).lockDelay()));
        }
        return write(slot, renewals).handle((written, error) -> {
            if (error != null) {
                Throwable cause = Failures.cause(error);
                // What was granted is given back, but the place in the queue of the next key is not.
                throw cause instanceof StoreException known && !(answer instanceof AttemptAnswer.Queued)
                        ? known
                        : StoreException.unknown(String.valueOf(cause.getMessage()), cause);
            }
            if (written.stream().anyMatch(RenewalAnswer.Gone.class::isInstance)) {
                throw StoreException.unknown("A grant was gone before its replicas had it", null);
            }
            return answer;
        });
    }

    /** Renews, and confirms those that owe it. */
    CompletableFuture<List<RenewalAnswer>> renew(
            int slot,
            List<Renewal> renewals,
            BiFunction<Integer, List<Renewal>, CompletableFuture<List<RenewalAnswer>>> plainly) {
        if (owed.isEmpty()) {
            return plainly.apply(slot, renewals);
        }
        return Slots.each(
                renewals,
                renewal -> owed.containsKey(renewal.grant()) ? 1 : 0,
                (owing, group) -> owing == 0
                        ? plainly.apply(slot, group)
                        : write(slot, group).exceptionallyCompose(error -> {
                            boolean givenBack = Failures.cause(error) instanceof StoreException failure
                                    && failure.kind() != StoreException.Kind.UNKNOWN;
                            return givenBack
                                    ? CompletableFuture.completedFuture(group.stream()
                                            .<RenewalAnswer>map(gone -> new RenewalAnswer.Gone(LossReason.EXPIRED))
                                            .toList())
                                    : CompletableFuture.failedFuture(error);
                        }));
    }

    /** Fails as not sent or refused if the grants were given back, else as unknown. */
    private CompletableFuture<List<RenewalAnswer>> write(int slot, List<Renewal> renewals) {
        List<Grant> grants = renewals.stream().map(Renewal::grant).toList();
        return servers.reserved(slot)
                .thenCompose(wire -> {
                    CompletableFuture<List<RenewalAnswer>> written = wire.call(
                            RedisLockStore.renewing(keys, slot, wire, renewals),
                            RedisLockStore::renewals,
                            error -> Failures.afterSending(wire.server(), error));
                    return wire.replication()
                            .replicas(replicas, within)
                            .thenCombine(written, (acknowledged, answers) -> {
                                if (Reply.number(acknowledged) < replicas) {
                                    throw StoreException.notSent(
                                            acknowledged + " of " + replicas
                                                    + " replicas acknowledged the grant within " + within
                                                    + ", so it was given back",
                                            null);
                                }
                                grants.forEach(owed::remove);
                                return answers;
                            });
                })
                .exceptionallyCompose(error -> {
                    StoreException why = Failures.afterSending("The primary", error);
                    return release.apply(slot, grants).handle((released, failure) -> {
                        grants.forEach(owed::remove);
                        throw failure == null
                                ? why
                                : StoreException.unknown("Replicas could not be asked: " + why.getMessage(), error);
                    });
                });
    }
}
