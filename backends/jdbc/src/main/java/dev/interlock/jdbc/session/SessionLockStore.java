package dev.interlock.jdbc.session;

import dev.interlock.jdbc.session.SessionHolders.Holder;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The lock store over the session of a {@link SharedSession}. Several stores of one backend share its session. */
final class SessionLockStore implements LockStore {
    /** Attempts per transaction. Renewals and releases wait for the transaction. */
    private static final int MAX_BATCH = 50;

    private final Queue<Pending> single = new ConcurrentLinkedQueue<>();
    private final SharedSession shared;
    private final SessionLocks locks;
    private final NamespaceRow agreement;
    private final StoreContext context;

    SessionLockStore(SharedSession shared, SessionLocks locks, NamespaceRow agreement, StoreContext context) {
        this.shared = shared;
        this.locks = locks;
        this.agreement = agreement;
        this.context = context;
        shared.addListener(context.listener());
    }

    @Override
    public CompletionStage<String> agree(String expected, String proposed) {
        return on(
                context.ordinary(),
                () -> shared.use(session -> agreement.agree(session.connection(), expected, proposed)));
    }

    /** Attempts for one key that arrive while the session is busy share a transaction. */
    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
        Pending pending = new Pending(attempt, new CompletableFuture<>());
        if (attempt.claims().size() == 1 && attempt.held().isEmpty()) {
            single.add(pending);
            context.ordinary().execute(this::takeSingle);
        } else {
            context.ordinary().execute(() -> takeByItself(pending));
        }
        return pending.answer();
    }

    private record Pending(Attempt attempt, CompletableFuture<AttemptAnswer> answer) {}

    private record Taken(Session session, List<AttemptAnswer> answers) {}

    private void takeSingle() {
        Pending first = single.poll();
        if (first == null) {
            return; // another batch has taken it
        }
        List<Pending> batch = new ArrayList<>(List.of(first));
        Taken taken;
        try {
            taken = shared.use(session -> {
                for (Pending next = single.poll(); next != null; next = single.poll()) {
                    batch.add(next);
                    if (batch.size() == MAX_BATCH) {
                        break;
                    }
                }
                List<Attempt> attempts = batch.stream().map(Pending::attempt).toList();
                return new Taken(session, session.takeBatch(attempts, this));
            });
        } catch (StoreException e) {
            if (e.isAnswered() && batch.size() > 1) {
                // One of them caused the error; the others are tried again.
                batch.forEach(this::takeByItself);
            } else {
                batch.forEach(it -> it.answer().completeExceptionally(e));
            }
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            answer(batch.get(i), taken.answers().get(i), taken.session());
        }
    }

    private void takeByItself(Pending pending) {
        Taking taking = new Taking(pending.attempt());
        try {
            answer(pending, taking.run(), taking.begunOn);
        } catch (RuntimeException e) {
            pending.answer().completeExceptionally(e);
        }
    }

    private void answer(Pending pending, AttemptAnswer answer, @Nullable Session session) {
        if (session != null && session.isEnded()) {
            pending.answer()
                    .completeExceptionally(StoreException.unknown(
                            shared.name() + " ended the session before the answer was delivered", null));
            return;
        }
        pending.answer().complete(answer);
        if (session != null && session.isEnded() && grantsSomething(answer)) {
            // The session ended while the grant was being delivered, and its end may have been reported before.
            context.listener().sessionLost(LossReason.SESSION_LOST);
        }
    }

    private static boolean grantsSomething(AttemptAnswer answer) {
        return answer instanceof AttemptAnswer.All
                || (answer instanceof AttemptAnswer.Busy busy && !busy.granted().isEmpty());
    }

    /** One attempt, key after key on one session. Other attempts may use the session between two keys. */
    private final class Taking {
        private final Attempt attempt;
        private final List<Granted> granted = new ArrayList<>();
        private @Nullable Session begunOn;

        Taking(Attempt attempt) {
            this.attempt = attempt;
        }

        AttemptAnswer run() {
            LockKey gone = attempt.held().isEmpty() ? null : extendHeld();
            if (gone != null) {
                return new AttemptAnswer.HeldGone(gone);
            }
            try {
                return take();
            } catch (RuntimeException e) {
                releaseGranted(e);
                throw e;
            }
        }

        /**
         * Extends the held grants, or returns a key that is not held. The session is confirmed, because nothing else
         * confirms the extension.
         */
        private @Nullable LockKey extendHeld() {
            List<LockKey> gone = shared.use(session -> {
                same(session);
                session.confirm();
                long now = System.nanoTime();
                List<LockKey> missing = new ArrayList<>(0);
                for (Renewal held : attempt.held()) {
                    if (session.holder(held.grant(), now) == null) {
                        missing.add(held.grant().key());
                    }
                }
                if (missing.isEmpty()) {
                    session.keepAliveFor(longest(attempt.held()));
                    attempt.held().forEach(held -> extend(session, held, now));
                }
                return missing;
            });
            return gone.isEmpty() ? null : gone.get(0);
        }

        private AttemptAnswer take() {
            for (Claim claim : attempt.claims()) {
                AttemptAnswer.Obstacle obstacle = shared
                        .use(session -> {
                            same(session);
                            Granted one = session.take(claim, attempt, SessionLockStore.this, System.nanoTime());
                            if (one == null) {
                                return List.of(session.obstacle(claim, System.nanoTime()));
                            }
                            granted.add(one);
                            return List.<AttemptAnswer.Obstacle>of();
                        })
                        .stream()
                        .findFirst()
                        .orElse(null);
                if (obstacle != null) {
                    return new AttemptAnswer.Busy(granted, obstacle);
                }
            }
            return new AttemptAnswer.All(granted);
        }

        /** If the session was replaced, its earlier grants are gone, so the attempt must not continue. */
        private void same(Session session) {
            if (begunOn == null) {
                begunOn = session;
            } else if (begunOn != session) {
                throw StoreException.unknown(shared.name() + " ended the session in the middle of an attempt", null);
            }
        }

        /** A failed attempt holds nothing. */
        private void releaseGranted(RuntimeException why) {
            if (granted.isEmpty()) {
                return;
            }
            List<Grant> grants =
                    new ArrayList<>(granted.stream().map(Granted::grant).toList());
            Collections.reverse(grants);
            try {
                shared.useIfOpen(session -> session.release(grants, System.nanoTime()));
            } catch (StoreException e) {
                why.addSuppressed(e);
            }
        }
    }

    private static Duration longest(List<Renewal> renewals) {
        return renewals.stream().map(Renewal::lease).max(Duration::compareTo).orElse(Duration.ZERO);
    }

    private static @Nullable Duration extend(Session session, Renewal renewal, long now) {
        Holder holder = session.holder(renewal.grant(), now);
        return holder == null ? null : holder.extend(renewal.lease(), now);
    }

    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
        return cannot("queue waiters");
    }

    /** Answered from memory: the session knows its grants, and the grants of an ended session are gone. */
    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        return on(
                context.urgent(),
                () -> shared.useIfOpen(session -> {
                            long now = System.nanoTime();
                            List<Granted> granted = new ArrayList<>();
                            for (LockKey key : keys) {
                                Holder mine = session.holders().find(locks.id(key), key, id);
                                if (mine != null && mine.isHeld(now)) {
                                    granted.add(new Granted(mine.grant, mine.left(now)));
                                }
                            }
                            return granted;
                        })
                        .orElse(List.of()));
    }

    /** One confirmation for all: as long as the session lives, it holds its grants. */
    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return on(
                context.urgent(),
                () -> shared.useIfOpen(session -> {
                            session.confirm();
                            long now = System.nanoTime();
                            session.keepAliveFor(longest(renewals));
                            List<RenewalAnswer> answers = new ArrayList<>(renewals.size());
                            for (Renewal renewal : renewals) {
                                Duration left = extend(session, renewal, now);
                                answers.add(left == null ? gone(renewal) : new RenewalAnswer.Extended(left));
                            }
                            return answers;
                        })
                        .orElseGet(() -> renewals.stream().map(this::gone).toList()));
    }

    private RenewalAnswer gone(Renewal renewal) {
        return new RenewalAnswer.Gone(shared.whyGone(renewal.grant()));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos) {
        return on(
                context.urgent(),
                () -> shared.useIfOpen(session -> session.release(grants, System.nanoTime()))
                        .orElseGet(() -> Collections.nCopies(grants.size(), ReleaseAnswer.NOT_HELD)));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return cannot("list the locks of other processes");
    }

    /** The server can only end the whole session with all its locks. */
    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return cannot("release the lock of another process");
    }

    private <T> CompletionStage<T> cannot(String what) {
        return CompletableFuture.failedFuture(StoreException.refused(
                "Session locks of " + shared.name() + " cannot " + what + "; the lease table of JdbcBackend can"));
    }

    /** Releases the remaining grants of this store, because other stores may use the session too. */
    @Override
    public void close() {
        shared.removeListener(context.listener());
        try {
            shared.useIfOpen(session -> {
                session.releaseAllOf(this);
                return true;
            });
        } catch (StoreException e) {
            // The session has ended, and all its locks with it.
        }
    }

    private static <T> CompletionStage<T> on(Executor executor, Supplier<T> answer) {
        return CompletableFuture.supplyAsync(answer, executor);
    }
}
