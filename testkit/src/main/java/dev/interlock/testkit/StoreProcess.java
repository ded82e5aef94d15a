package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
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
 * One process as a store sees it: an incarnation, an open store, and the grants that were pushed to it. It does nothing
 * by itself, so a case can make it die, forget or call too late.
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
        ordinary = tck.environment().pool("tck-ordinary", 2);
        urgent = tck.environment().pool("tck-urgent", 2);
        store = tck.backend().openLocks(this);
    }

    /** Returns a new attempt for these keys: exclusive, with a long lease, not enqueued. */
    TckAttempt ask(LockKey... keys) {
        return ask(new OwnerId(incarnation, ++attempts), List.of(keys));
    }

    TckAttempt ask(List<LockKey> keys) {
        return ask(new OwnerId(incarnation, ++attempts), keys);
    }

    /** Like {@link #ask(LockKey...)}, on behalf of another process that has no store of its own. */
    TckAttempt askAsOtherProcess(LockKey key) {
        return ask(new OwnerId(UUID.randomUUID().toString(), 1), List.of(key));
    }

    private TckAttempt ask(OwnerId id, List<LockKey> keys) {
        List<Claim> claims = keys.stream()
                .sorted()
                .map(key -> new Claim(key, LockMode.EXCLUSIVE, 1, 1, TckCase.LONG, Duration.ZERO))
                .toList();
        return new TckAttempt(this, new Attempt(id, claims, List.of(), false, 0, TckCase.LONG, TckCase.LONG, "tck"));
    }

    LockStore store() {
        return store;
    }

    /** The grants that were pushed so far. */
    List<Granted> pushed() {
        return pushed;
    }

    List<WaitAnswer> keepWaiting(PlaceId... places) {
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
        return answer(store.release(List.of(grant), 0)).get(0);
    }

    List<ReleaseAnswer> releaseAll(Grant... grants) {
        return answer(store.release(Arrays.asList(grants), 0));
    }

    int forceRelease(LockKey key) {
        return answer(store.forceRelease(key));
    }

    String agree(String expected, String proposed) {
        return answer(store.agree(expected, proposed));
    }

    List<WaitReport> exchange(WaitReportExchange exchange) {
        return answer(store.exchange(exchange));
    }

    LockPage page(String prefix, Optional<String> after, int limit) {
        return answer(store.snapshot(new SnapshotQuery(prefix, after, limit)));
    }

    /** Returns every lock whose name starts with the prefix, over all pages. */
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

    /** Returns how many processes wait for this key in the store. */
    int waiters(LockKey key) {
        return snapshot(key.name()).stream()
                .filter(lock -> lock.key().equals(key))
                .mapToInt(LockSnapshot::waiters)
                .sum();
    }

    /** Returns whether another process could acquire the key at once. Leaves the key as it was. */
    boolean isFree(LockKey key) {
        TckAttempt ask = askAsOtherProcess(key);
        if (ask.send() instanceof AttemptAnswer.All all) {
            release(all.granted().get(0));
            return true;
        }
        return false;
    }

    void assertFree(LockKey key) {
        assertThat(isFree(key)).as("\"%s\" is free for another process", key).isTrue();
    }

    void assertNotFree(LockKey key) {
        assertThat(isFree(key)).as("\"%s\" is free for another process", key).isFalse();
    }

    /** Waits for the store's answer and returns it, or throws its failure. */
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
    public Environment environment() {
        return tck.environment();
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
