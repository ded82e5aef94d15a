package dev.interlock.memory;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The contract of {@link dev.interlock.spi.LockStore} as a simple program: one list of grants and one list of waiters,
 * which every call searches from the beginning.
 *
 * <p>A store need not act when time passes. The next call that concerns a key removes its expired grants and waiters.
 */
final class StoreModel {
    /** A planted bug, which proves that the test finds a difference. */
    enum Flaw {
        NONE,
        NEWCOMER_OVERTAKES,
        RENEWAL_REVIVES,
        SHARED_JOINS_EXCLUSIVE,
        DEAD_WAITER_IS_GRANTED,
        FLOOR_IS_IGNORED,
        RELEASE_BY_OWNER_ALONE,
        DELAY_ENDS_WITH_LEASE
    }

    private static final class Held {
        final Grant grant;
        final Claim claim;
        final String label;
        final long since;
        long leaseEnd;
        long recordEnd;

        Held(Grant grant, Claim claim, String label, long since) {
            this.grant = grant;
            this.claim = claim;
            this.label = label;
            this.since = since;
        }
    }

    private static final class Waiting {
        final Attempt attempt;
        final Claim claim;
        long heartbeatAt;

        Waiting(Attempt attempt, Claim claim) {
            this.attempt = attempt;
            this.claim = claim;
        }
    }

    private final Flaw flaw;
    private final List<Held> held = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private final List<Grant> history = new ArrayList<>();
    private final List<Granted> pushed = new ArrayList<>();
    private final Set<Long> forced = new HashSet<>();
    private long now;
    private long lastNumber;

    StoreModel(Flaw flaw) {
        this.flaw = flaw;
    }

    void pass(Duration time) {
        now += time.toNanos();
    }

    long now() {
        return now;
    }

    /** Returns the grants that were pushed to waiters since the last call. */
    List<Granted> takePushed() {
        List<Granted> taken = List.copyOf(pushed);
        pushed.clear();
        return taken;
    }

    /**
     * Returns the newest grant of this owner on this key, or an earlier one. If there were not that many, returns a
     * grant that never existed.
     */
    Grant grantOf(OwnerId owner, LockKey key, int before) {
        List<Grant> own = history.stream()
                .filter(grant -> grant.owner().equals(owner) && grant.key().equals(key))
                .toList();
        return before < own.size() ? own.get(own.size() - 1 - before) : new Grant(key, owner, 1_000_000);
    }

    AttemptAnswer attempt(Attempt attempt) {
        for (Renewal renewal : attempt.held()) {
            if (!isHeld(renewal.grant())) {
                return new AttemptAnswer.HeldGone(renewal.grant().key());
            }
        }
        attempt.held().forEach(this::renew);
        List<Granted> granted = new ArrayList<>();
        for (Claim claim : attempt.claims()) {
            refresh(claim.key());
            Optional<Held> own = recordOf(attempt.id(), claim.key());
            if (own.isPresent() && own.get().leaseEnd > now) {
                granted.add(answer(own.get()));
            } else if (own.isEmpty() && fits(claim) && !isBehindLiveWaiter(attempt.id(), claim.key())) {
                leave(attempt.id(), claim.key());
                granted.add(answer(grant(attempt, claim, claim.lease(), claim.lockDelay())));
            } else {
                AttemptAnswer.Obstacle obstacle = new AttemptAnswer.Obstacle(
                        claim.key(), heldOn(claim.key()).findFirst().map(this::describe), firstEnd(claim.key()));
                if (!attempt.enqueue()) {
                    return new AttemptAnswer.Busy(granted, obstacle);
                }
                enqueue(attempt, claim);
                return new AttemptAnswer.Queued(granted, obstacle);
            }
        }
        return new AttemptAnswer.All(granted);
    }

    WaitAnswer keepWaiting(OwnerId id, LockKey key) {
        placeOf(id, key).ifPresent(place -> place.heartbeatAt = now);
        refresh(key);
        Optional<Held> own = recordOf(id, key).filter(one -> one.leaseEnd > now);
        if (own.isPresent()) {
            return new WaitAnswer.Won(answer(own.get()));
        }
        return placeOf(id, key).isPresent() ? new WaitAnswer.Waiting(firstEnd(key)) : new WaitAnswer.Forgotten();
    }

    List<Granted> withdraw(OwnerId id, List<LockKey> keys) {
        List<Granted> granted = new ArrayList<>();
        for (LockKey key : keys) {
            leave(id, key);
            refresh(key);
            recordOf(id, key).filter(one -> one.leaseEnd > now).ifPresent(one -> granted.add(answer(one)));
        }
        return granted;
    }

    RenewalAnswer renew(Renewal renewal) {
        Grant grant = renewal.grant();
        Optional<Held> found =
                flaw == Flaw.RENEWAL_REVIVES ? record(grant) : record(grant).filter(this::isHeld);
        if (found.isEmpty()) {
            boolean replaced = heldOn(grant.key()).anyMatch(one -> one.grant.number() > grant.number());
            return new RenewalAnswer.Gone(
                    forced.contains(grant.number())
                            ? LossReason.FORCED
                            : replaced ? LossReason.REPLACED : LossReason.EXPIRED);
        }
        extend(found.get(), renewal.lease(), renewal.lockDelay());
        return new RenewalAnswer.Extended(answer(found.get()).lease());
    }

    ReleaseAnswer release(Grant grant) {
        Optional<Held> found = flaw == Flaw.RELEASE_BY_OWNER_ALONE
                ? recordOf(grant.owner(), grant.key()).filter(this::isHeld)
                : record(grant).filter(this::isHeld);
        found.ifPresent(held::remove);
        refresh(grant.key());
        return found.isPresent() ? ReleaseAnswer.RELEASED : ReleaseAnswer.NOT_HELD;
    }

    int forceRelease(LockKey key) {
        dropEnded(key);
        List<Held> victims = heldOn(key).toList();
        victims.forEach(one -> forced.add(one.grant.number()));
        held.removeAll(victims);
        refresh(key);
        return victims.size();
    }

    LockPage snapshot(SnapshotQuery query, Instant takenAt) {
        Set<String> names = new TreeSet<>();
        held.forEach(one -> names.add(one.grant.key().name()));
        waiting.forEach(one -> names.add(one.claim.key().name()));
        names.removeIf(name -> !name.startsWith(query.prefix())
                || query.after().filter(after -> name.compareTo(after) <= 0).isPresent());
        List<String> page = names.stream().limit(query.limit()).toList();
        List<LockSnapshot> locks = new ArrayList<>();
        for (String name : page) {
            LockKey key = LockKey.of(name);
            refresh(key);
            List<LockSnapshot.Holder> holders = heldOn(key).map(this::describe).toList();
            int waiters = (int) waitingFor(key).count();
            if (!holders.isEmpty() || waiters > 0) {
                locks.add(new LockSnapshot(key, holders, waiters));
            }
        }
        Optional<String> next =
                names.size() > query.limit() ? Optional.of(page.get(page.size() - 1)) : Optional.empty();
        return new LockPage(locks, next, takenAt);
    }

    /** Removes what has expired on a key, and grants the key to the next waiters. */
    private void refresh(LockKey key) {
        dropEnded(key);
        while (true) {
            Optional<Waiting> first = waitingFor(key).findFirst();
            if (first.isPresent() && !isAlive(first.get()) && flaw != Flaw.DEAD_WAITER_IS_GRANTED) {
                waiting.remove(first.get());
            } else if (first.isPresent()
                    && fits(first.get().claim)
                    && recordOf(first.get().attempt.id(), key).isEmpty()) {
                waiting.remove(first.get());
                Attempt attempt = first.get().attempt;
                // A provisional lease: the first renewal of the waiter extends it.
                pushed.add(answer(grant(attempt, first.get().claim, attempt.heartbeatWithin(), Duration.ZERO)));
            } else {
                return;
            }
        }
    }

    private void dropEnded(LockKey key) {
        held.removeIf(one -> one.grant.key().equals(key)
                && (flaw == Flaw.DELAY_ENDS_WITH_LEASE ? one.leaseEnd : one.recordEnd) <= now);
    }

    private boolean fits(Claim claim) {
        int taken = 0;
        for (Held other : heldOn(claim.key()).toList()) {
            boolean together = claim.mode() != LockMode.EXCLUSIVE && other.claim.mode() == claim.mode();
            if (flaw == Flaw.SHARED_JOINS_EXCLUSIVE && claim.mode() == LockMode.SHARED) {
                together = other.claim.mode() != LockMode.PERMITS;
            }
            if (!together) {
                return false;
            }
            taken += other.claim.permits();
        }
        return claim.mode() != LockMode.PERMITS || taken == 0 || taken + claim.permits() <= claim.capacity();
    }

    private boolean isBehindLiveWaiter(OwnerId id, LockKey key) {
        if (flaw == Flaw.NEWCOMER_OVERTAKES) {
            return false;
        }
        for (Waiting other : waitingFor(key).toList()) {
            if (other.attempt.id().equals(id)) {
                return false;
            }
            if (isAlive(other)) {
                return true;
            }
        }
        return false;
    }

    private void enqueue(Attempt attempt, Claim claim) {
        Waiting place = placeOf(attempt.id(), claim.key()).orElseGet(() -> {
            Waiting fresh = new Waiting(attempt, claim);
            waiting.add(fresh);
            return fresh;
        });
        place.heartbeatAt = now;
    }

    private void leave(OwnerId id, LockKey key) {
        placeOf(id, key).ifPresent(waiting::remove);
    }

    private Held grant(Attempt attempt, Claim claim, Duration lease, Duration lockDelay) {
        lastNumber = flaw == Flaw.FLOOR_IS_IGNORED ? lastNumber + 1 : Math.max(lastNumber, attempt.tokenFloor()) + 1;
        Grant grant = new Grant(claim.key(), attempt.id(), lastNumber);
        Held fresh = new Held(grant, claim, attempt.label(), now);
        extend(fresh, lease, lockDelay);
        held.add(fresh);
        history.add(grant);
        return fresh;
    }

    private void extend(Held one, Duration lease, Duration lockDelay) {
        one.leaseEnd = Math.max(one.leaseEnd, now + lease.toNanos());
        one.recordEnd = Math.max(one.recordEnd, now + lease.toNanos() + lockDelay.toNanos());
    }

    private boolean isHeld(Grant grant) {
        return record(grant).filter(this::isHeld).isPresent();
    }

    private boolean isHeld(Held one) {
        return one.leaseEnd > now;
    }

    private boolean isAlive(Waiting one) {
        return now - one.heartbeatAt <= one.attempt.heartbeatWithin().toNanos();
    }

    private Optional<Held> record(Grant grant) {
        return held.stream().filter(one -> one.grant.equals(grant)).findFirst();
    }

    private Optional<Held> recordOf(OwnerId owner, LockKey key) {
        return heldOn(key).filter(one -> one.grant.owner().equals(owner)).findFirst();
    }

    private Optional<Waiting> placeOf(OwnerId id, LockKey key) {
        return waitingFor(key).filter(one -> one.attempt.id().equals(id)).findFirst();
    }

    private Stream<Held> heldOn(LockKey key) {
        return held.stream().filter(one -> one.grant.key().equals(key));
    }

    private Stream<Waiting> waitingFor(LockKey key) {
        return waiting.stream().filter(one -> one.claim.key().equals(key));
    }

    private Duration firstEnd(LockKey key) {
        return heldOn(key)
                .map(one -> Duration.ofNanos(Math.max(0, one.recordEnd - now)))
                .min(Duration::compareTo)
                .orElse(Duration.ofNanos(Long.MAX_VALUE));
    }

    private Granted answer(Held one) {
        return new Granted(one.grant, Duration.ofNanos(Math.max(0, one.leaseEnd - now)));
    }

    private LockSnapshot.Holder describe(Held one) {
        return new LockSnapshot.Holder(
                one.label,
                one.grant.owner().toString(),
                one.claim.mode(),
                one.claim.permits(),
                one.grant.number(),
                Duration.ofNanos(now - one.since),
                answer(one).lease());
    }
}
