package dev.interlock.testkit;

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
import dev.interlock.spi.LockStore;
import dev.interlock.spi.Place;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.Surroundings;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * One process as a store sees it: an incarnation, an open store and what was pushed to it. It does nothing by itself, so a
 * case can let it die, forget or ask too late.
 */
final class StoreProcess implements AutoCloseable, StoreContext, StoreListener {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
    private static final int PAGE = 1000;

    private final TckCase tck;
    private final String incarnation = UUID.randomUUID().toString();
    private final List<Granted> pushed = new CopyOnWriteArrayList<>();
    private final Executor ordinary;
    private final Executor urgent;
    private final LockStore store;
    private long attempts;

    StoreProcess(TckCase tck) {
        this.tck = tck;
        ordinary = tck.surroundings().pool("tck-ordinary", 2);
        urgent = tck.surroundings().pool("tck-urgent", 2);
        store = tck.backend().openLocks(this);
    }

    /** A new attempt for these keys, exclusive, with a long lease, not queueing. */
    Ask ask(LockKey... keys) {
        return ask(new OwnerId(incarnation, ++attempts), List.of(keys));
    }

    Ask ask(List<LockKey> keys) {
        return ask(new OwnerId(incarnation, ++attempts), keys);
    }

    /** As {@link #ask(LockKey...)}, in the name of yet another process that has no store of its own. */
    Ask askAsStranger(LockKey key) {
        return ask(new OwnerId(UUID.randomUUID().toString(), 1), List.of(key));
    }

    private Ask ask(OwnerId id, List<LockKey> keys) {
        List<Claim> claims = keys.stream()
                .sorted()
                .map(key -> new Claim(key, LockMode.EXCLUSIVE, 1, 1, TckCase.LONG, Duration.ZERO))
                .toList();
        return new Ask(this, new Attempt(id, claims, List.of(), false, 0, TckCase.LONG, TckCase.LONG, "tck"));
    }

    LockStore store() {
        return store;
    }

    /** The grants that were pushed so far. */
    List<Granted> pushed() {
        return pushed;
    }

    List<WaitAnswer> keepWaiting(Place... places) {
        return answer(store.keepWaiting(List.of(places)));
    }

    RenewalAnswer renew(Granted granted, Duration lease) {
        return renew(granted.grant(), lease);
    }

    RenewalAnswer renew(Grant grant, Duration lease) {
        return answer(store.renew(List.of(renewal(grant, lease)))).get(0);
    }

    List<RenewalAnswer> renewAll(List<Grant> grants, Duration lease) {
        return answer(
                store.renew(grants.stream().map(grant -> renewal(grant, lease)).toList()));
    }

    static Renewal renewal(Grant grant, Duration lease) {
        return new Renewal(grant, lease, Duration.ZERO);
    }

    ReleaseAnswer release(Granted granted) {
        return release(granted.grant());
    }

    ReleaseAnswer release(Grant grant) {
        return answer(store.release(List.of(grant))).get(0);
    }

    List<ReleaseAnswer> releaseAll(Grant... grants) {
        return answer(store.release(Arrays.asList(grants)));
    }

    int forceRelease(LockKey key) {
        return answer(store.forceRelease(key));
    }

    String terms(String expected, String proposed) {
        return answer(store.terms(expected, proposed));
    }

    List<WaitNote> exchange(WaitNotes notes) {
        return answer(store.exchange(notes));
    }

    LockPage page(String prefix, Optional<String> after, int limit) {
        return answer(store.snapshot(new SnapshotQuery(prefix, after, limit)));
    }

    /** Every lock whose name starts so, over all pages. */
    List<LockSnapshot> snapshot(String prefix) {
        List<LockSnapshot> locks = new ArrayList<>();
        LockPage page = page(prefix, Optional.empty(), PAGE);
        locks.addAll(page.locks());
        while (page.next().isPresent()) {
            page = page(prefix, page.next(), PAGE);
            locks.addAll(page.locks());
        }
        return locks;
    }

    /** How many processes wait for this key in the store. */
    int waiters(LockKey key) {
        return snapshot(key.name()).stream()
                .filter(lock -> lock.key().equals(key))
                .mapToInt(LockSnapshot::waiters)
                .sum();
    }

    /** Whether a stranger could have it at once; leaves it as it was. */
    boolean isFree(LockKey key) {
        Ask ask = askAsStranger(key);
        if (ask.send() instanceof AttemptAnswer.All all) {
            release(all.granted().get(0));
            return true;
        }
        return false;
    }

    /** Waits for the store's answer; throws what it failed with. */
    <T> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture()
                    .orTimeout(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    @Override
    public Executor ordinary() {
        return ordinary;
    }

    @Override
    public Executor urgent() {
        return urgent;
    }

    @Override
    public StoreListener listener() {
        return this;
    }

    @Override
    public Surroundings surroundings() {
        return tck.surroundings();
    }

    @Override
    public void granted(Granted granted) {
        pushed.add(granted);
    }

    @Override
    public void maybeFree(LockKey key) {}

    @Override
    public void sessionLost(LossReason reason) {}

    @Override
    public void reconnected() {}

    @Override
    public void close() {
        store.close();
    }
}
