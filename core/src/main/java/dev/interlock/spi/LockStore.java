package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.OwnerId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The few atomic lock operations of one store, seen by one process.
 *
 * <p><b>What a store guarantees</b>, for all methods together:
 * <ol>
 *   <li>For one key, the number of every grant is larger than that of all earlier grants, through release, expiry, forced
 *       release and, as far as {@link StoreCapabilities#tokens()} says, restart and failover.
 *   <li>Grants that exclude each other never exist at once. An expired grant does not exist; the store's own clock decides.
 *   <li>Each call takes effect at one moment between request and answer, or not at all. A call may be carried out twice
 *       (a resent request) and must then end as if once.
 *   <li>Renewal and release act only on the very grant they name.
 *   <li>Where waiters queue, the order is that of arrival; a newcomer does not overtake a live waiter that it excludes.
 * </ol>
 *
 * <p><b>What a store may assume:</b> keys of an attempt are distinct and in the global order; batches have at most
 * {@value #MAX_BATCH} entries; a process has at most one waiter per key; waiters are asked about at least twice per
 * {@link Attempt#heardWithin()}; all arguments are valid.
 *
 * <p>A stage that fails does so with {@link StoreException}. Stages may complete on any thread, also before the method
 * returns; the engine never blocks in them.
 */
public interface LockStore extends AutoCloseable {
    /** The largest number of entries in one batch. */
    int MAX_BATCH = 500;

    /**
     * Compares and sets the small text that holds the namespace's protocol version and lock order: if the stored text
     * equals {@code expected} (empty if there is none), stores {@code proposed}. Answers what is stored now. The text
     * never expires.
     */
    CompletionStage<String> terms(String expected, String proposed);

    /**
     * Takes the claims in order, as many as can be had, and stops at the first busy one; queues there if asked to.
     *
     * <p>A claim can be had if no other owner's grant excludes it and no live waiter is ahead in its queue. If the same
     * id holds a claim already, that is the answer for it. Grants made at once last {@link Claim#lease()}; a grant handed
     * to a waiter later lasts {@link Attempt#heardWithin()} until its first renewal. First extends
     * {@link Attempt#held()}; if one of these is gone, answers {@link AttemptAnswer.HeldGone} and grants nothing.
     */
    CompletionStage<AttemptAnswer> attempt(Attempt attempt);

    /**
     * The waiters' heartbeat, which is also their re-check: one answer per place. Notices an expired holder and grants the
     * next waiter. Never called on stores without a queue.
     */
    CompletionStage<List<WaitAnswer>> keepWaiting(List<Place> places);

    /**
     * Ends the wait of an attempt on the given keys, and answers which of them it has been granted: those grants stay,
     * and the engine uses or releases them. This is how a grant that crosses a time-out is found, and how an attempt
     * whose answer was lost is resolved.
     */
    CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys);

    /** Extends grants; one answer per entry, independent of each other. Never revives an expired grant. */
    CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals);

    /** Ends grants and hands their keys to the next live waiters; one answer per entry, independent of each other. */
    CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants);

    /** A page of the locks that are held or waited for, in the order of their names. Need not be atomic. */
    CompletionStage<LockPage> snapshot(SnapshotQuery query);

    /** Ends all grants of a key, whoever has them, and hands it to the next waiter; answers how many there were. */
    CompletionStage<Integer> forceRelease(LockKey key);

    /**
     * Writes and removes notes about waits, and answers everybody's, if asked to: {@link WaitNotes}. What a note says is the engine's
     * business; the store keeps it for the given time from its last writing, by its own clock. What it answers was there at one moment, after
     * the writing. Never called on stores without {@link StoreCapabilities#waitNotes()}.
     */
    default CompletionStage<List<WaitNote>> exchange(WaitNotes notes) {
        return CompletableFuture.failedFuture(StoreException.refused("This store keeps no notes about waits"));
    }

    /** Ends this process's view of the store. Grants and waiters that are left end by their leases. */
    @Override
    void close();
}
