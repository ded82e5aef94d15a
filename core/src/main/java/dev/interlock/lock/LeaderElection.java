package dev.interlock.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One leader among many processes: campaigns until it leads, leads until it resigns or loses the lock, and campaigns again.
 *
 * <pre>
 *   IDLE ── campaign ──▶ CAMPAIGNING ── granted ──▶ LEADING
 *     ▲                      ▲    ▲                   │  │
 *     │                      │    └── lost ───────────┘  │
 *     └────── resign ────────┴──────────── resign ───────┘
 * </pre>
 *
 * <p>Leadership is a {@link Lease}: it has a deadline and a token, and its loss is told by that deadline. Work done as a leader
 * should carry the token, since a former leader may be slow to notice. While the store cannot be reached there may be no leader;
 * there are never two whose leases are valid.
 *
 * <p>Thread-safe. Listener calls come one at a time and in order, from a thread of Interlock's own or from the one that calls
 * {@link #resign()}.
 */
public final class LeaderElection implements AutoCloseable {
    /** A round of waiting; a new one begins when it ends. */
    private static final Duration ROUND = Duration.ofHours(1);

    private static final long PAUSE_MILLIS = 500;

    /** Hears of changes. */
    public interface Listener {
        /** This process leads now, until {@link #onResigned} or {@link #onLost}. Must not block for long. */
        void onElected(Lease leadership);

        /** It led and has resigned. */
        default void onResigned() {}

        /** It led and has lost the lock; it campaigns again by itself. */
        default void onLost(LossReason reason) {}
    }

    private sealed interface State {}

    private record Idle() implements State {}

    private static final class Campaigning implements State {
        volatile @Nullable PendingLease<Lease> pending;
    }

    private record Leading(Lease lease) implements State {}

    private static final State IDLE = new Idle();

    private final LockRequest<Lease> request;
    private final LockKey key;
    private final Listener listener;
    private final AtomicReference<State> state = new AtomicReference<>(IDLE);

    private LeaderElection(LockRequest<Lease> request, LockKey key, Listener listener) {
        this.request = request;
        this.key = key;
        this.listener = listener;
    }

    /** An election by this key, with the lock settings of its type; does nothing until {@link #campaign()}. */
    public static LeaderElection over(Locks locks, LockKey key, Listener listener) {
        Objects.requireNonNull(locks, "locks is null: give the Locks to use");
        Objects.requireNonNull(key, "key is null: name what is led");
        Objects.requireNonNull(listener, "listener is null: say what to do when elected");
        return over(locks.with(key), key, listener);
    }

    /** An election by this key, with a request for it of the caller's own: for example one with a shorter lease. */
    public static LeaderElection over(LockRequest<Lease> request, LockKey key, Listener listener) {
        Objects.requireNonNull(request, "request is null: give the request by which to lead");
        Objects.requireNonNull(key, "key is null: name what is led");
        Objects.requireNonNull(listener, "listener is null: say what to do when elected");
        return new LeaderElection(request.waitAtMost(ROUND), key, listener);
    }

    /** Begins to campaign; returns at once. Does nothing if it campaigns or leads already. */
    public void campaign() {
        Campaigning campaign = new Campaigning();
        if (state.compareAndSet(IDLE, campaign)) {
            ask(campaign);
        }
    }

    /** Whether this process leads now, by the lease's own deadline. */
    public boolean isLeader() {
        return leadership().isPresent();
    }

    /** The leadership, if this process leads now; its token goes with everything a leader writes. */
    public Optional<Lease> leadership() {
        return state.get() instanceof Leading leading && leading.lease().isHeld()
                ? Optional.of(leading.lease())
                : Optional.empty();
    }

    /** Stops campaigning, or gives leadership up so that another process leads at once. Does nothing if it does neither. */
    public void resign() {
        State before = state.getAndSet(IDLE);
        if (before instanceof Campaigning campaign) {
            PendingLease<Lease> pending = campaign.pending;
            if (pending != null) {
                pending.cancel();
            }
        } else if (before instanceof Leading leading) {
            listener.onResigned();
            leading.lease().close();
        }
    }

    /** Resigns. */
    @Override
    public void close() {
        resign();
    }

    private void ask(Campaigning campaign) {
        if (state.get() != campaign) {
            return;
        }
        PendingLease<Lease> pending;
        try {
            pending = request.acquireAsync();
        } catch (InterlockClosedException closed) {
            state.compareAndSet(campaign, IDLE);
            return;
        }
        campaign.pending = pending;
        var unused = pending.whenComplete((lease, error) -> {
            if (lease != null) {
                elected(campaign, lease);
            } else {
                refused(campaign, error);
            }
        });
        if (state.get() != campaign) {
            pending.cancel(); // resigned between asking and remembering what was asked
        }
    }

    private void elected(Campaigning campaign, Lease lease) {
        if (!state.compareAndSet(campaign, new Leading(lease))) {
            var unused = lease.releaseAsync();
            return;
        }
        listener.onElected(lease);
        lease.onLost(reason -> lost(lease, reason));
    }

    private void lost(Lease lease, LossReason reason) {
        Campaigning again = new Campaigning();
        State now = state.get();
        if (now instanceof Leading leading && leading.lease() == lease && state.compareAndSet(now, again)) {
            listener.onLost(reason);
            lease.close();
            if (reason == LossReason.CLOSED) {
                state.compareAndSet(again, IDLE);
            } else {
                ask(again);
            }
        }
    }

    private void refused(Campaigning campaign, Throwable error) {
        if (error instanceof CancellationException || error instanceof InterlockClosedException) {
            state.compareAndSet(campaign, IDLE);
            return;
        }
        // Busy for a whole round, or the store is away: after a pause it may be back.
        CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS).execute(() -> ask(campaign));
    }

    @Override
    public String toString() {
        return "LeaderElection[" + key + ", " + (isLeader() ? "leading" : state.get() == IDLE ? "idle" : "campaigning")
                + "]";
    }
}
