package dev.interlock.lock;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Elects one leader among many processes. A candidate campaigns until it leads, leads until it resigns or loses the
 * lock, and campaigns again after a loss.
 *
 * <pre>
 *   IDLE ── campaign ──▶ CAMPAIGNING ── granted ──▶ LEADING
 *     ▲                      ▲    ▲                   │  │
 *     │                      │    └── lost ───────────┘  │
 *     └────── resign ────────┴──────────── resign ───────┘
 * </pre>
 *
 * <p>Leadership is a {@link Lease}: it has a deadline and a token, and its loss is reported by that deadline. Writes
 * of a leader should carry the token, since a former leader may be slow to notice its loss. While the store cannot be
 * reached there may be no leader; there are never two with a valid lease.
 *
 * <p>Thread-safe. The listener is called once at a time and in order, on a thread of Interlock or on the one that
 * calls {@link #resign()}.
 *
 * @since 0.1.0
 */
public final class LeaderElection implements AutoCloseable {
    /** Patience of one request. When it is over, the next request begins. */
    private static final Duration ROUND = Duration.ofHours(1);

    /** Pause before the next request after a refusal. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    /** Is notified of changes. */
    public interface Listener {
        /** This process is the leader until {@link #onResigned} or {@link #onLost}. Must not block for long. */
        void onElected(Lease leadership);

        /** This process was the leader and has resigned. */
        default void onResigned() {}

        /** This process was the leader and has lost the lock. It campaigns again. */
        default void onLost(LossReason reason) {}
    }

    private sealed interface State {}

    private record Idle() implements State {}

    private static final class Campaigning implements State {
        volatile @Nullable PendingLease<Lease> pending;
    }

    private record Leading(Lease lease) implements State {}

    private static final State IDLE = new Idle();

    private final Executor afterPause;
    private final LockRequest<Lease> request;
    private final LockKey key;
    private final Listener listener;
    private final AtomicReference<State> state = new AtomicReference<>(IDLE);

    private LeaderElection(Executor afterPause, LockRequest<Lease> request, LockKey key, Listener listener) {
        this.afterPause = afterPause;
        this.request = request;
        this.key = key;
        this.listener = listener;
    }

    /** An election by this key, with the lock settings of its type. Does nothing until {@link #campaign()}. */
    public static LeaderElection over(Locks locks, LockKey key, Listener listener) {
        Objects.requireNonNull(locks, "locks is null: pass the Locks to use");
        Objects.requireNonNull(key, "key is null: name what the leader leads");
        Objects.requireNonNull(listener, "listener is null: pass the code to run when elected");
        return over(locks, locks.with(key), key, listener);
    }

    /** An election by this key with a request of the caller, for example one with a shorter lease. */
    public static LeaderElection over(Locks locks, LockRequest<Lease> request, LockKey key, Listener listener) {
        Objects.requireNonNull(locks, "locks is null: pass the Locks to use");
        Objects.requireNonNull(request, "request is null: pass the request for the key");
        Objects.requireNonNull(key, "key is null: name what the leader leads");
        Objects.requireNonNull(listener, "listener is null: pass the code to run when elected");
        return new LeaderElection(locks.delayedExecutor(PAUSE), request.waitAtMost(ROUND), key, listener);
    }

    /** Starts to campaign and returns at once. Does nothing if this election campaigns or leads already. */
    public void campaign() {
        Campaigning campaign = new Campaigning();
        if (state.compareAndSet(IDLE, campaign)) {
            ask(campaign);
        }
    }

    /** Whether this process is the leader, by the deadline of its lease. */
    public boolean isLeader() {
        return leadership().isPresent();
    }

    /** The lease of the leader if this process leads. Every write of a leader should carry its token. */
    public Optional<Lease> leadership() {
        return state.get() instanceof Leading leading && leading.lease().isHeld()
                ? Optional.of(leading.lease())
                : Optional.empty();
    }

    /**
     * Stops campaigning, or resigns so that another process can lead at once. Does nothing if this election is idle.
     */
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
            pending.cancel(); // resigned before the pending request was visible
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
        // The lock was busy for the whole patience, or the store is unavailable and may be back after a pause.
        afterPause.execute(() -> ask(campaign));
    }

    @Override
    public String toString() {
        return "LeaderElection[" + key + ", " + (isLeader() ? "leading" : state.get() == IDLE ? "idle" : "campaigning")
                + "]";
    }
}
