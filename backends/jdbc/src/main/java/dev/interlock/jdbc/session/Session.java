package dev.interlock.jdbc.session;

import dev.interlock.jdbc.session.SessionHolders.Holder;
import dev.interlock.jdbc.session.SessionLocks.Taken;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockMode;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.AttemptAnswer.Obstacle;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.StoreException;
import dev.interlock.transactions.internal.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One database session, from its first statement to its end, and its grants.
 *
 * <p>Used by one thread at a time, see {@link SharedSession}. A session that has ended, or may have ended, is never
 * used again.
 */
final class Session {
    /** When to poll again for a lock whose holder is in another process: the end of its lease is unknown. */
    private static final Duration UNKNOWN_END = Duration.ofSeconds(1);

    /** Near the longest idle limit that databases accept. */
    private static final Duration MAX_IDLE_LIMIT = Duration.ofDays(20);

    private static final Duration MARGIN = Duration.ofSeconds(2);

    private final SessionLocks locks;
    private final Connection connection;
    private final long identity;
    private final SessionHolders holders = new SessionHolders();
    private Duration idleLimit;
    private volatile long answeredNanos;
    private volatile boolean ended;

    /** Begins a session on a new connection, which belongs to the session from now on. */
    Session(SessionLocks locks, Connection connection, Duration idleLimit) throws SQLException {
        this.locks = locks;
        this.connection = connection;
        this.idleLimit = idleLimit;
        locks.begin(connection);
        locks.endWhenIdleFor(connection, idleLimit);
        this.identity = locks.begunIdentity(connection);
        answered();
    }

    Connection connection() {
        return connection;
    }

    SessionHolders holders() {
        return holders;
    }

    boolean isEnded() {
        return ended;
    }

    /** Confirms that the database still has this very session. */
    void confirm() throws SQLException {
        expect(locks.begunIdentity(connection));
        answered();
    }

    private void answered() {
        answeredNanos = System.nanoTime();
    }

    /** When the server last answered. Answers from memory do not count, so they never delay a probe. */
    long answeredNanos() {
        return answeredNanos;
    }

    /** A pooler that swaps sessions behind a connection would take our locks away. */
    private void expect(long seen) throws SQLException {
        if (seen != identity) {
            throw new SessionEndedException("Session " + identity + " has become session " + seen
                    + ": something between here and the database pools connections, so it cannot carry session locks");
        }
    }

    /**
     * Takes the only key of each of several attempts and returns one answer each. They share a transaction and thus one
     * wait for the disk. If the transaction fails, none of them has a lock.
     */
    List<AttemptAnswer> takeBatch(List<Attempt> attempts, Object store) throws SQLException {
        if (attempts.size() == 1) {
            return List.of(takeOnly(attempts.get(0), store, new ArrayList<>(1)));
        }
        keepAliveFor(attempts.stream()
                .map(attempt -> attempt.claims().get(0).lease())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO));
        AttemptAnswer[] answers = new AttemptAnswer[attempts.size()];
        List<Grant> fresh = new ArrayList<>(answers.length);
        commitEach(false);
        try {
            for (int index : byBucket(attempts)) {
                answers[index] = takeOnly(attempts.get(index), store, fresh);
            }
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            rollBack(fresh, e);
            throw e;
        }
        commitEach(true);
        return List.of(answers);
    }

    /** A session in the wrong commit mode would return numbers that are not committed. */
    private void commitEach(boolean statement) throws SessionEndedException {
        try {
            connection.setAutoCommit(statement);
        } catch (SQLException e) {
            throw new SessionEndedException("The session cannot begin or end a transaction: " + e.getMessage(), e);
        }
    }

    /** The order in which all sessions lock the rows of a transaction, so that they never deadlock. */
    private int[] byBucket(List<Attempt> attempts) {
        return IntStream.range(0, attempts.size())
                .boxed()
                .sorted(Comparator.comparingInt(index -> SessionSql.bucket(
                        locks.id(attempts.get(index).claims().get(0).key()))))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Adds to {@code fresh} what was granted now, not by an earlier call of the same attempt. */
    private AttemptAnswer takeOnly(Attempt attempt, Object store, List<Grant> fresh) throws SQLException {
        Claim claim = attempt.claims().get(0);
        long now = System.nanoTime();
        Holder before = holders.find(locks.id(claim.key()), claim.key(), attempt.id());
        Granted granted = take(claim, attempt, store, now);
        if (granted == null) {
            return new AttemptAnswer.Busy(List.of(), obstacle(claim, now));
        }
        if (before == null || !before.grant.equals(granted.grant())) {
            fresh.add(granted.grant());
        }
        return new AttemptAnswer.All(List.of(granted));
    }

    /** Numbers that were not committed are void, so their locks are released. */
    private void rollBack(List<Grant> fresh, Exception why) throws SessionEndedException {
        try {
            connection.rollback();
            commitEach(true);
            release(fresh, System.nanoTime());
        } catch (SQLException e) {
            e.addSuppressed(why);
            throw new SessionEndedException("Locks without numbers could not be released: " + e.getMessage(), e);
        }
    }

    /** Takes one key for an attempt; null if another attempt or session has it. */
    @Nullable
    Granted take(Claim claim, Attempt attempt, Object store, long nowNanos) throws SQLException {
        String id = locks.id(claim.key());
        Holder mine = holders.find(id, claim.key(), attempt.id());
        if (mine != null && mine.isHeld(nowNanos)) {
            return new Granted(mine.grant, mine.left(nowNanos));
        }
        releaseExpired(id, nowNanos);
        List<Holder> others = holders.of(id);
        if (!others.isEmpty() && !(claim.mode() == LockMode.SHARED && others.get(0).mode == LockMode.SHARED)) {
            return null;
        }
        keepAliveFor(claim.lease());
        long number = others.isEmpty()
                ? takeAtDatabase(id, claim.mode(), attempt.tokenFloor())
                : checked(locks.nextNumber(connection, id, attempt.tokenFloor()));
        if (number == 0) {
            return null;
        }
        Grant grant = new Grant(claim.key(), attempt.id(), number);
        holders.add(id, new Holder(grant, claim.mode(), attempt.label(), store, System.nanoTime(), claim.lease()));
        return new Granted(grant, claim.lease());
    }

    /** Returns 0 if another session has the lock. On any failure, a lock without a number is released. */
    private long takeAtDatabase(String id, LockMode mode, long floor) throws SQLException {
        try {
            Taken taken = locks.take(connection, id, mode, floor);
            answered();
            if (!taken.isGranted()) {
                return 0;
            }
            expect(taken.identity());
            return checked(taken.number());
        } catch (SQLException | StoreException e) {
            if (!(e instanceof SessionEndedException)
                    && !(e instanceof SQLException sql && SqlFailures.isConnectionLost(sql))) {
                undo(id, mode, e);
            }
            throw e;
        }
    }

    /** Releases a lock that may have been taken or not. */
    private void undo(String id, LockMode mode, Exception why) throws SessionEndedException {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            locks.unlock(connection, mode, List.of(id));
        } catch (SQLException e) {
            e.addSuppressed(why);
            throw new SessionEndedException("A lock without a number could not be released: " + e.getMessage(), e);
        }
    }

    private static long checked(long number) {
        if (number <= 0 || number > FencingToken.MAX_GRANT) {
            throw StoreException.refused("Grant numbers are used up: " + number
                    + " in interlock_session_token is more than 53 bits. Another client has written to the table");
        }
        return number;
    }

    /** The holder that blocks a claim. Unknown if it is in another process, or has another key with the same hash. */
    Obstacle obstacle(Claim claim, long nowNanos) {
        for (Holder holder : holders.of(locks.id(claim.key()))) {
            if (holder.grant.key().equals(claim.key())) {
                return new Obstacle(claim.key(), Optional.of(holder.describe(nowNanos)), holder.left(nowNanos));
            }
        }
        return new Obstacle(claim.key(), Optional.empty(), UNKNOWN_END);
    }

    @Nullable
    Holder holder(Grant grant, long nowNanos) {
        return holders.find(locks.id(grant.key()), grant, nowNanos);
    }

    /** Raises the server's idle limit, so that it does not end the session before its longest lease ends. */
    void keepAliveFor(Duration lease) throws SQLException {
        Duration wanted = lease.compareTo(MAX_IDLE_LIMIT) > 0 ? MAX_IDLE_LIMIT : lease.plus(MARGIN);
        if (wanted.compareTo(idleLimit) > 0) {
            locks.endWhenIdleFor(connection, wanted);
            idleLimit = wanted;
        }
    }

    /** Ends grants and returns one answer each. Locks without holders are released by one statement per mode. */
    List<ReleaseAnswer> release(List<Grant> grants, long nowNanos) throws SQLException {
        List<ReleaseAnswer> answers = new ArrayList<>(grants.size());
        Map<LockMode, List<String>> free = new HashMap<>();
        for (Grant grant : grants) {
            String id = locks.id(grant.key());
            Holder holder = holders.find(id, grant, nowNanos);
            answers.add(holder == null ? ReleaseAnswer.NOT_HELD : ReleaseAnswer.RELEASED);
            if (holder != null && holders.removeLast(id, holder)) {
                free.computeIfAbsent(holder.mode, it -> new ArrayList<>()).add(id);
            }
        }
        unlock(free);
        return answers;
    }

    private void unlock(Map<LockMode, List<String>> free) throws SQLException {
        for (Map.Entry<LockMode, List<String>> some : free.entrySet()) {
            Set<String> missing;
            try {
                missing = locks.unlock(connection, some.getKey(), some.getValue());
                answered();
            } catch (SQLException e) {
                // A lock that stays at the database without a holder here would be taken twice the next time.
                throw new SessionEndedException("Locks could not be released: " + e.getMessage(), e);
            }
            if (!missing.isEmpty()) {
                throw new SessionEndedException("Session " + identity + " did not have the locks " + missing
                        + " that it was granted: something else has released them over its connection");
            }
        }
    }

    private void releaseExpired(String id, long nowNanos) throws SQLException {
        for (Holder holder : List.copyOf(holders.of(id))) {
            if (!holder.isHeld(nowNanos) && holders.removeLast(id, holder)) {
                unlock(Map.of(holder.mode, List.of(id)));
            }
        }
    }

    /** Releases grants that were not renewed in time. */
    void releaseExpired(long nowNanos) throws SQLException {
        unlock(holders.removeAll(holder -> !holder.isHeld(nowNanos)));
    }

    /** Releases all grants of a store. */
    void releaseAllOf(Object store) throws SQLException {
        unlock(holders.removeAll(holder -> holder.store == store));
    }

    /** Ends the session here, and at the server when it notices the closed connection. */
    void end() {
        ended = true;
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // The connection was broken before or is now; it is not used again.
        }
    }

    /** Ends a working session, including at the server. */
    void close() {
        ended = true;
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            end();
        }
    }
}
