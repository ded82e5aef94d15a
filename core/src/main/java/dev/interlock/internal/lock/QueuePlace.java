package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.Timetable;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Granted;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The place of a gate at the store: queued there, or polled.
 *
 * <p>It belongs to the gate, not to the request that got it. When that request gives up, the next local waiter for
 * the same claim takes over the place, and with it the time already spent in the store's queue.
 *
 * <p>Rings when its next heartbeat or poll is due.
 */
final class QueuePlace extends Timetable.Entry {
    private static final long MIN_RECHECK_NANOS = 1_000_000;

    private final QueuePlaces places;
    final Gate gate;
    final OwnerId id;
    final Claim claim;
    final boolean queued;

    /** The request that it serves. Changed under the gate's mutex. */
    volatile Waiter waiter;

    private final boolean onlyAttempt;
    private volatile long waitingSince;
    private volatile boolean ended;

    /**
     * @param sentNanos when the attempt was sent that the store answered with this place
     * @param onlyAttempt whether no other attempt was sent with this id, so that the store granted it at most once
     */
    QueuePlace(
            QueuePlaces places,
            Gate gate,
            OwnerId id,
            Claim claim,
            boolean queued,
            Waiter waiter,
            long sentNanos,
            boolean onlyAttempt) {
        this.places = places;
        this.gate = gate;
        this.id = id;
        this.claim = claim;
        this.queued = queued;
        this.waiter = waiter;
        this.waitingSince = sentNanos;
        this.onlyAttempt = onlyAttempt;
    }

    /** When to send the next heartbeat: in time to keep the place, and when the holder's lease may have ended. */
    static long recheckNanos(Duration holderEndsIn) {
        long ends = holderEndsIn.compareTo(Duration.ofSeconds(1)) > 0 ? Long.MAX_VALUE / 2 : holderEndsIn.toNanos();
        return Math.max(MIN_RECHECK_NANOS, Math.min(Protocol.HEARTBEAT_NANOS, ends + MIN_RECHECK_NANOS));
    }

    /**
     * A moment at which the place was not granted yet: when the last call was sent that the store answered with
     * "waiting". If there was only one attempt, the grant in a push is younger than this, however long the push took.
     */
    long waitingSince() {
        return waitingSince;
    }

    boolean isOnlyAttempt() {
        return onlyAttempt;
    }

    PlaceId place() {
        return new PlaceId(id, claim.key());
    }

    /** Schedules the next heartbeat or poll after this pause, unless the place has ended. */
    void recheckIn(long pauseNanos) {
        if (!ended) {
            places.schedule(this, pauseNanos);
            if (ended) {
                places.cancel(this);
            }
        }
    }

    /** The place has ended: it was granted, withdrawn, or is asked for again. */
    void end() {
        ended = true;
        places.cancel(this);
    }

    boolean hasEnded() {
        return ended;
    }

    @Override
    protected void ring(long nowNanos) {
        places.recheckLater(this);
    }

    /**
     * The store granted the key to this place, as a push or as the answer to a heartbeat. If no waiter is left, the
     * last one is withdrawing the place and finds the grant in that answer.
     */
    void won(Granted granted) {
        Waiter winner = gate.leavePlace(this);
        if (winner != null) {
            end();
            winner.placeWon(granted, this);
        }
    }

    /** The answer to a heartbeat that was sent at the given moment. */
    void rechecked(@Nullable WaitAnswer answer, @Nullable StoreException error, long sentNanos) {
        if (answer instanceof WaitAnswer.Won won) {
            won(won.granted());
        } else if (answer instanceof WaitAnswer.Forgotten) {
            askAgain();
        } else if (answer instanceof WaitAnswer.Waiting waiting) {
            waiter.storeAnswered();
            waitingSince = Math.max(waitingSince, sentNanos);
            recheckIn(recheckNanos(waiting.recheckIn()));
        } else if (answer instanceof WaitAnswer.NotNow later) {
            waiter.storeAnswered();
            recheckIn(recheckNanos(later.recheckIn()));
        } else if (error != null) {
            waiter.storeUnanswered(error);
        }
    }

    /** It is time to poll, or the store does not know this place any more. */
    void askAgain() {
        Waiter again = gate.leavePlace(this);
        if (again != null) {
            places.forget(this);
            if (queued) {
                again.placeForgotten();
            }
            again.goOn();
        } else {
            // The waiter is leaving. A successor that takes over the place must find it still scheduled.
            recheckIn(Protocol.FIRST_POLL_NANOS);
        }
    }
}
