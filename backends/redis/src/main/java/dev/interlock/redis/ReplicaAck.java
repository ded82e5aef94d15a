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
 * Makes a grant count only once enough replicas have acknowledged it.
 *
 * <p>The holder writes each grant once more over a reserved connection and then sends {@code WAIT} there. {@code WAIT}
 * covers only the writes of its own connection, and it blocks that connection ({@link ReplicaWait}). A grant that is
 * not acknowledged in time is released. A grant that the server made to a waiter stays unconfirmed until its first
 * renewal, which the engine sends before it returns the lock to the caller.
 *
 * <p>Thread-safe.
 */
final class ReplicaAck {
    /** At this many unconfirmed grants, those that have ended without a renewal are forgotten. */
    private static final int SWEEP_AT = 1_000;

    private final RedisCalls calls;
    private final Servers servers;
    private final BiFunction<Integer, List<Grant>, CompletableFuture<List<ReleaseAnswer>>> release;
    private final int replicas;
    private final Duration within;
    private final Map<Grant, Long> unconfirmed = new ConcurrentHashMap<>();

    ReplicaAck(
            RedisCalls calls,
            Servers servers,
            BiFunction<Integer, List<Grant>, CompletableFuture<List<ReleaseAnswer>>> release,
            RedisBackend.Durability durability) {
        this.calls = calls;
        this.servers = servers;
        this.release = release;
        this.replicas = durability.replicas();
        this.within = durability.within();
    }

    /** Remembers a grant that the server made to a waiter, so that its first renewal confirms it. */
    void expect(Granted granted) {
        long now = System.nanoTime();
        if (unconfirmed.size() >= SWEEP_AT) {
            unconfirmed.values().removeIf(until -> now - until > 0);
        }
        unconfirmed.put(granted.grant(), now + granted.lease().toNanos());
    }

    /** Confirms the grants of an attempt before the attempt is answered. */
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
            // Only for the time that is left: a repeated attempt extends nothing.
            renewals.add(new Renewal(
                    granted.get(i).grant(),
                    granted.get(i).lease(),
                    claims.get(i).lockDelay()));
        }
        return write(slot, renewals).handle((written, error) -> {
            if (error != null) {
                Throwable cause = RedisErrors.cause(error);
                // The grants were released, but the queue place at the next key was not given up.
                throw cause instanceof StoreException known && !(answer instanceof AttemptAnswer.Queued)
                        ? known
                        : StoreException.unknown(String.valueOf(cause.getMessage()), cause);
            }
            if (written.stream().anyMatch(RenewalAnswer.Gone.class::isInstance)) {
                throw StoreException.unknown("A grant ended before the replicas acknowledged it", null);
            }
            return answer;
        });
    }

    /** Renews grants, and confirms the unconfirmed ones. */
    CompletableFuture<List<RenewalAnswer>> renew(
            int slot,
            List<Renewal> renewals,
            BiFunction<Integer, List<Renewal>, CompletableFuture<List<RenewalAnswer>>> plainRenewal) {
        if (unconfirmed.isEmpty()) {
            return plainRenewal.apply(slot, renewals);
        }
        return SlotGroups.each(
                renewals,
                renewal -> unconfirmed.containsKey(renewal.grant()) ? 1 : 0,
                (isUnconfirmed, group) -> isUnconfirmed == 0
                        ? plainRenewal.apply(slot, group)
                        : write(slot, group).exceptionallyCompose(error -> {
                            boolean released = RedisErrors.cause(error) instanceof StoreException failure
                                    && failure.kind() != StoreException.Kind.UNKNOWN;
                            return released
                                    ? CompletableFuture.completedFuture(group.stream()
                                            .<RenewalAnswer>map(gone -> new RenewalAnswer.Gone(LossReason.EXPIRED))
                                            .toList())
                                    : CompletableFuture.failedFuture(error);
                        }));
    }

    /** Fails as not sent or refused if the grants were released, otherwise as unknown. */
    private CompletableFuture<List<RenewalAnswer>> write(int slot, List<Renewal> renewals) {
        List<Grant> grants = renewals.stream().map(Renewal::grant).toList();
        return servers.reserved(slot)
                .thenCompose(connection -> {
                    CompletableFuture<List<RenewalAnswer>> written = connection.call(
                            calls.renew(connection.facts(), renewals),
                            RedisCalls::renewed,
                            error -> RedisErrors.afterSending(connection.server(), error));
                    return connection
                            .replication()
                            .replicas(replicas, within)
                            .thenCombine(written, (acknowledged, answers) -> {
                                if (RedisReply.number(acknowledged) < replicas) {
                                    throw StoreException.notSent(
                                            acknowledged + " of " + replicas
                                                    + " replicas acknowledged the grant within " + within
                                                    + ", so it was released",
                                            null);
                                }
                                grants.forEach(unconfirmed::remove);
                                return answers;
                            });
                })
                .exceptionallyCompose(error -> {
                    StoreException why = RedisErrors.afterSending("The primary", error);
                    return release.apply(slot, grants).handle((released, failure) -> {
                        grants.forEach(unconfirmed::remove);
                        throw failure == null
                                ? why
                                : StoreException.unknown(
                                        "The replicas did not confirm the grant, and it could not be released: "
                                                + why.getMessage(),
                                        error);
                    });
                });
    }
}
