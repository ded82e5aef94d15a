package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.OwnerId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The atomic lock operations of one store, as one process uses them.
 *
 * <p><b>What a store guarantees</b>, for all methods together:
 * <ol>
 *   <li>For one key, the number of every grant is greater than the numbers of all earlier grants: through release,
 *       expiry and forced release, and through restart and failover as far as {@link StoreCapabilities#tokens()} says.
 *   <li>Two grants that exclude each other never exist at the same time. An expired grant does not exist. The store's
 *       own clock decides what is expired.
 *   <li>Each call takes effect at one moment between request and answer, or not at all. A request may arrive twice
 *       because it was resent. The result must then be the same as if it had arrived once.
 *   <li>A renewal or release affects only the grant that it names.
 *   <li>If the store queues waiters, it serves them in the order of arrival. A new attempt does not overtake a live
 *       waiter that it excludes.
 * </ol>
 *
 * <p><b>What a store may assume:</b>
 * <ul>
 *   <li>The keys of an attempt are distinct and in the lock order.
 *   <li>A batch has at most {@value #MAX_BATCH} entries.
 *   <li>A process has at most one waiter per key.
 *   <li>The engine sends at least two heartbeats per waiter in each {@link Attempt#heartbeatWithin()}.
 *   <li>All arguments are valid.
 * </ul>
 *
 * <p>A stage fails with {@link StoreException}. Stages may complete on any thread, even before the method returns. The
 * engine never blocks the completing thread.
 *
 * @since 0.1.0
 */
public interface LockStore extends AutoCloseable {
    /** The maximum number of entries in one batch. */
    int MAX_BATCH = 500;

    /**
     * Compares and sets the namespace agreement, a short text with protocol version and lock order. The text never
     * expires.
     *
     * @param expected the text that the caller expects; empty if it expects none
     * @param proposed the text to store if the stored text equals {@code expected}
     * @return the text that is stored now
     */
    CompletionStage<String> agree(String expected, String proposed);

    /**
     * Acquires the claims in order and stops at the first busy one. If {@link Attempt#enqueue()} is set, the attempt is
     * queued there.
     *
     * <p>A claim is free if no grant of another owner excludes it and no live waiter is ahead in the queue of its key.
     * For a claim that the same attempt already holds, the answer is the existing grant. A grant made by this call
     * lasts {@link Claim#lease()}. A grant made to the waiter later has a provisional lease: it lasts {@link
     * Attempt#heartbeatWithin()} until its first renewal. Before it acquires anything, this call extends {@link
     * Attempt#held()}. If one of these grants is gone, it answers {@link AttemptAnswer.HeldGone} and grants nothing.
     *
     * @param mayBlockNanos how long the store may block the calling thread, whose caller waits for the answer anyway; 0
     *     if it must not block. A blocking store that uses it saves two thread switches. While the store blocks the
     *     thread, it must notice an interrupt itself.
     */
    CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos);

    /**
     * Records a heartbeat for each queue place and checks the place for a grant. If the holder's lease has expired,
     * this call grants the key to the next waiter. The engine never calls it on a store without a queue.
     *
     * @return one answer per place, in the same order
     */
    CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places);

    /**
     * Removes an attempt from the queues of the given keys. Grants that it already has are kept; the engine then uses
     * or releases them. This finds a grant that crosses a timeout, and resolves an attempt whose answer was lost.
     *
     * @return the grants that the attempt has on these keys
     */
    CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys);

    /**
     * Extends grants. Each entry is independent of the others. An expired grant stays expired.
     *
     * @return one answer per entry, in the same order
     */
    CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals);

    /**
     * Ends grants and grants their keys to the next live waiters. Each entry is independent of the others.
     *
     * @param mayBlockNanos as in {@link #attempt}
     * @return one answer per entry, in the same order
     */
    CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos);

    /** Returns a page of the locks that have a holder or a waiter, ordered by name. The page need not be atomic. */
    CompletionStage<LockPage> snapshot(SnapshotQuery query);

    /**
     * Ends all grants of a key, whichever process holds them, and grants the key to the next waiter.
     *
     * @return how many grants were ended
     */
    CompletionStage<Integer> forceRelease(LockKey key);

    /**
     * Writes, removes and reads wait reports. The store keeps each report for the requested time after it was last
     * written, by the store's own clock. The reports that it returns all existed at one moment after the write. The
     * engine never calls this method on a store without {@link StoreCapabilities#waitReports()}.
     *
     * @return all reports if {@link WaitReportExchange#read()} is set, otherwise none
     */
    default CompletionStage<List<WaitReport>> exchange(WaitReportExchange reports) {
        return CompletableFuture.failedFuture(StoreException.refused("This store does not support wait reports"));
    }

    /**
     * Closes this process's view of the store. Grants and queue places that still exist are not released; they end when
     * their leases and heartbeats run out.
     */
    @Override
    void close();
}
