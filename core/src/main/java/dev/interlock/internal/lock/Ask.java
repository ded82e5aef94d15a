package dev.interlock.internal.lock;

import dev.interlock.internal.time.Timetable;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Place;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import org.jspecify.annotations.Nullable;

/**
 * A gate's place at the store: queued there, or polled for.
 *
 * <p>It belongs to the gate, not to the request that made it. When that request gives up, the next local one that wants the
 * same inherits the place, and with it the time already spent in the store's queue.
 *
 * <p>Rings when the store is to be asked about it again.
 */
final class Ask extends Timetable.Entry {
    private final Engine engine;
    final Gate gate;
    final OwnerId id;
    final Claim claim;
    final boolean queued;

    /** Whom it serves; changed under the gate's mutex. */
    volatile Waiter waiter;

    private final boolean sole;
    private volatile long waitingSince;
    private volatile boolean served;

    /**
     * @param sentNanos when the attempt was sent that the store has answered with this place
     * @param sole whether no other attempt was sent with this id, so that the store has granted it at most once
     */
    Ask(
            Engine engine,
            Gate gate,
            OwnerId id,
            Claim claim,
            boolean queued,
            Waiter waiter,
            long sentNanos,
            boolean sole) {
        this.engine = engine;
        this.gate = gate;
        this.id = id;
        this.claim = claim;
        this.queued = queued;
        this.waiter = waiter;
        this.waitingSince = sentNanos;
        this.sole = sole;
    }

    /**
     * A moment at which it was not granted yet: before a question was sent that the store has answered with "waits". However long a
     * push takes, the grant it tells of is younger, if there is only one.
     */
    long waitingSince() {
        return waitingSince;
    }

    boolean isSole() {
        return sole;
    }

    Place place() {
        return new Place(id, claim.key());
    }

    /** Asks the store again after this pause, unless the place has served by then. */
    void recheckIn(long pauseNanos) {
        if (!served) {
            engine.timetable().set(this, engine.now() + pauseNanos);
            if (served) {
                engine.timetable().cancel(this);
            }
        }
    }

    /** The place is over: granted, given up or asked for anew. */
    void served() {
        served = true;
        engine.timetable().cancel(this);
    }

    @Override
    protected void ring(long nowNanos) {
        if (queued) {
            engine.watchdog().recheckLater(this);
        } else {
            engine.lane().execute(this::askAgain);
        }
    }

    /**
     * The store granted this place its key; a push, or found by asking. If nobody is left to take it, whoever gave up last
     * is withdrawing the place and finds the grant in that answer.
     */
    void won(Granted granted) {
        Waiter winner = gate.leavePlace(this);
        if (winner != null) {
            served();
            winner.placeWon(granted, this);
        }
    }

    /** The store was asked about this place, by a question sent at the given moment. */
    void rechecked(@Nullable WaitAnswer answer, @Nullable StoreException error, long sentNanos) {
        if (answer instanceof WaitAnswer.Won won) {
            won(won.granted());
        } else if (answer instanceof WaitAnswer.Forgotten) {
            askAgain();
        } else if (answer instanceof WaitAnswer.Waiting waiting) {
            waiter.storeAnswered();
            waitingSince = Math.max(waitingSince, sentNanos);
            recheckIn(Engine.recheckNanos(waiting.recheckIn()));
        } else if (answer instanceof WaitAnswer.NotNow later) {
            waiter.storeAnswered();
            recheckIn(Engine.recheckNanos(later.recheckIn()));
        } else if (error != null) {
            waiter.storeUnanswered(error);
        }
    }

    boolean isServed() {
        return served;
    }

    /** It is time to poll, or the store does not know this place any more. */
    void askAgain() {
        Waiter again = gate.leavePlace(this);
        if (again != null) {
            engine.places().forget(this);
            if (queued) {
                again.placeForgotten();
            }
            again.goOn();
        } else {
            // Whoever it served is just giving up; an heir that comes in between needs a place that still asks.
            recheckIn(EngineSettings.POLL_FIRST_NANOS);
        }
    }
}
