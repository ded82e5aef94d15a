package dev.interlock.jdbc.session;

import dev.interlock.jdbc.session.Holders.Holder;
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
import dev.interlock.spi.Place;
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

/** The lock store over the session of a {@link SessionLane}. Several stores of one backend share its session. */
final class SessionLockStore implements LockStore {
    /** So many attempts share a transaction at the most: whoever must be renewed or released waits for it. */
    private static final int MOST_TOGETHER = 50;

    private final Queue<Pending> single = new ConcurrentLinkedQueue<>();
    private final SessionLane lane;
    private final SessionLocks locks;
    private final NamespaceRow terms;
    private final StoreContext context;

    SessionLockStore(SessionLane lane, SessionLocks locks, NamespaceRow terms, StoreContext context) {
        this.lane = lane;
        this.locks = locks;
        this.terms = terms;
        this.context = context;
        lane.tell(context.listener());
    }

    @Override
    public CompletionStage<String> terms(String expected, String proposed) {
        return on(context.ordinary(), () -> lane.use(session -> terms.agree(session.connection(), expected, proposed)));
    }

    /** Attempts for one key that come together while the session is busy are made together. */
    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt) {
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
            return; // somebody has taken it along
        }
        List<Pending> together = new ArrayList<>(List.of(first));
        Taken taken;
        try {
            taken = lane.use(session -> {
                for (Pending next = single.poll(); next != null; next = single.poll()) {
                    together.add(next);
                    if (together.size() == MOST_TOGETHER) {
                        break;
                    }
                }
                List<Attempt> attempts = together.stream().map(Pending::attempt).toList();
                return new Taken(session, session.takeTogether(attempts, this));
            });
        } catch (StoreException e) {
            if (e.isAnswered() && together.size() > 1) {
                // One of them is to blame, and the others need not suffer.
                together.forEach(this::takeByItself);
            } else {
                together.forEach(it -> it.answer().completeExceptionally(e));
            }
            return;
        }
        for (int i = 0; i < together.size(); i++) {
            answer(together.get(i), taken.answers().get(i), taken.session());
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
                    .completeExceptionally(
                            StoreException.unknown(lane.name() + " ended the session before the answer was out", null));
            return;
        }
        pending.answer().complete(answer);
        if (session != null && session.isEnded() && grantsSomething(answer)) {
            // It ended while the news of a grant was on its way, and its end may have been told before.
            context.listener().sessionLost(LossReason.SESSION_LOST);
        }
    }

    private static boolean grantsSomething(AttemptAnswer answer) {
        return answer instanceof AttemptAnswer.All
                || (answer instanceof AttemptAnswer.Busy busy && !busy.granted().isEmpty());
    }

    /** One attempt: key after key, on one and the same session. Others may use the session between two keys. */
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
                giveBack(e);
                throw e;
            }
        }

        /** Extends what is held, or answers what is not. The session must give a sign of life, for nothing else confirms the extension. */
        private @Nullable LockKey extendHeld() {
            List<LockKey> gone = lane.use(session -> {
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
                    session.liveFor(longest(attempt.held()));
                    attempt.held().forEach(held -> extend(session, held, now));
                }
                return missing;
            });
            return gone.isEmpty() ? null : gone.get(0);
        }

        private AttemptAnswer take() {
            for (Claim claim : attempt.claims()) {
                AttemptAnswer.Obstacle obstacle = lane
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

        /** What was granted by a session that has ended meanwhile is gone; nothing must be added to it. */
        private void same(Session session) {
            if (begunOn == null) {
                begunOn = session;
            } else if (begunOn != session) {
                throw StoreException.unknown(lane.name() + " ended the session in the middle of an attempt", null);
            }
        }

        /** A failed attempt holds nothing. */
        private void giveBack(RuntimeException why) {
            if (granted.isEmpty()) {
                return;
            }
            List<Grant> grants =
                    new ArrayList<>(granted.stream().map(Granted::grant).toList());
            Collections.reverse(grants);
            try {
                lane.useIfOpen(session -> session.release(grants, System.nanoTime()));
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
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<Place> places) {
        return cannot("queue waiters");
    }

    /** From memory: what this session was granted it knows, and what a session that ended was granted is gone. */
    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        return on(
                context.urgent(),
                () -> lane.useIfOpen(session -> {
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

    /** One sign of life for all: as long as the session lives, it holds what it was granted. */
    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
        return on(
                context.urgent(),
                () -> lane.useIfOpen(session -> {
                            session.confirm();
                            long now = System.nanoTime();
                            session.liveFor(longest(renewals));
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
        return new RenewalAnswer.Gone(lane.whyGone(renewal.grant()));
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants) {
        return on(
                context.urgent(),
                () -> lane.useIfOpen(session -> session.release(grants, System.nanoTime()))
                        .orElseGet(() -> Collections.nCopies(grants.size(), ReleaseAnswer.NOT_HELD)));
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return cannot("list the locks of other processes");
    }

    /** The server can only end the whole session, with every lock that its process has. */
    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return cannot("release the lock of another process");
    }

    private <T> CompletionStage<T> cannot(String what) {
        return CompletableFuture.failedFuture(StoreException.refused(
                "Session locks of " + lane.name() + " cannot " + what + "; the lease table of JdbcBackend can"));
    }

    /** Gives back what this store has left behind, since the session, with which it would end, may be others' too. */
    @Override
    public void close() {
        lane.tellNoMore(context.listener());
        try {
            lane.useIfOpen(session -> {
                session.forget(this);
                return true;
            });
        } catch (StoreException e) {
            // Then the session has ended, and all its locks with it.
        }
    }

    private static <T> CompletionStage<T> on(Executor executor, Supplier<T> answer) {
        return CompletableFuture.supplyAsync(answer, executor);
    }
}
