package dev.interlock.jdbc.session;

import dev.interlock.jdbc.internal.Failures;
import dev.interlock.jdbc.session.Holders.Holder;
import dev.interlock.jdbc.session.SessionLocks.Drawn;
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
 * One session at the database, from its first statement to its end, and what it holds.
 *
 * <p>Used by one thread at a time, see {@link SessionLane}. A session that has ended, or about which there is a doubt, is never used again.
 */
final class Session {
    /** When to ask again about a lock whose holder is in another process: nobody can know. */
    private static final Duration UNKNOWN_END = Duration.ofSeconds(1);

    /** Longer than any database lets a session be silent. */
    private static final Duration LONGEST_SILENCE = Duration.ofDays(20);

    private static final Duration MARGIN = Duration.ofSeconds(2);

    private final SessionLocks locks;
    private final Connection connection;
    private final long identity;
    private final Holders holders = new Holders();
    private Duration silence;
    private volatile long heardNanos;
    private volatile boolean ended;

    /** Begins a session on a new connection, which is the session's from now on. */
    Session(SessionLocks locks, Connection connection, Duration silence) throws SQLException {
        this.locks = locks;
        this.connection = connection;
        this.silence = silence;
        locks.begin(connection);
        locks.endWhenSilentFor(connection, silence);
        this.identity = locks.begunIdentity(connection);
        heard();
    }

    Connection connection() {
        return connection;
    }

    Holders holders() {
        return holders;
    }

    boolean isEnded() {
        return ended;
    }

    /** Asks the database for a sign of life of this very session. */
    void confirm() throws SQLException {
        expect(locks.begunIdentity(connection));
        heard();
    }

    private void heard() {
        heardNanos = System.nanoTime();
    }

    /** When the server has last answered. What is answered from memory does not count, so it never puts a probe off. */
    long heardNanos() {
        return heardNanos;
    }

    /** A pooler that swaps sessions behind a connection takes our locks away. */
    private void expect(long seen) throws SQLException {
        if (seen != identity) {
            throw new SessionEndedException("Session " + identity + " has become session " + seen
                    + ": something between here and the database pools connections, so it cannot carry session locks");
        }
    }

    /**
     * Takes the only key of each of several attempts; one answer each. They share a transaction, so that one commit, which waits for the
     * disk, serves them all. If it fails, none of them has anything.
     */
    List<AttemptAnswer> takeTogether(List<Attempt> attempts, Object store) throws SQLException {
        if (attempts.size() == 1) {
            return List.of(takeOnly(attempts.get(0), store, new ArrayList<>(1)));
        }
        liveFor(attempts.stream()
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
            takeBack(fresh, e);
            throw e;
        }
        commitEach(true);
        return List.of(answers);
    }

    /** A session that commits otherwise than it is thought to would give out numbers that are not committed. */
    private void commitEach(boolean statement) throws SessionEndedException {
        try {
            connection.setAutoCommit(statement);
        } catch (SQLException e) {
            throw new SessionEndedException("The session cannot begin or end a transaction: " + e.getMessage(), e);
        }
    }

    /** The order in which all sessions lock the rows of a transaction, so that they do not wait for each other in a circle. */
    private int[] byBucket(List<Attempt> attempts) {
        return IntStream.range(0, attempts.size())
                .boxed()
                .sorted(Comparator.comparingInt(index -> SessionSql.bucket(
                        locks.id(attempts.get(index).claims().get(0).key()))))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Notes what it has been granted just now, and not by the same attempt before. */
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

    /** The numbers of a transaction that is not committed count for nothing, so neither do the locks. */
    private void takeBack(List<Grant> fresh, Exception why) throws SessionEndedException {
        try {
            connection.rollback();
            commitEach(true);
            release(fresh, System.nanoTime());
        } catch (SQLException e) {
            e.addSuppressed(why);
            throw new SessionEndedException("Locks without numbers could not be given back: " + e.getMessage(), e);
        }
    }

    /** Takes one key for an attempt; null if somebody else has it. */
    @Nullable
    Granted take(Claim claim, Attempt attempt, Object store, long nowNanos) throws SQLException {
        String id = locks.id(claim.key());
        Holder mine = holders.find(id, claim.key(), attempt.id());
        if (mine != null && mine.isHeld(nowNanos)) {
            return new Granted(mine.grant, mine.left(nowNanos));
        }
        forgetExpired(id, nowNanos);
        List<Holder> others = holders.of(id);
        if (!others.isEmpty() && !(claim.mode() == LockMode.SHARED && others.get(0).mode == LockMode.SHARED)) {
            return null;
        }
        liveFor(claim.lease());
        long number = others.isEmpty()
                ? takeAtDatabase(id, claim.mode(), attempt.tokenFloor())
                : checked(locks.draw(connection, id, attempt.tokenFloor()));
        if (number == 0) {
            return null;
        }
        Grant grant = new Grant(claim.key(), attempt.id(), number);
        holders.add(id, new Holder(grant, claim.mode(), attempt.label(), store, System.nanoTime(), claim.lease()));
        return new Granted(grant, claim.lease());
    }

    /** 0 if another session has it. Whatever goes wrong, a lock without a number is given back. */
    private long takeAtDatabase(String id, LockMode mode, long floor) throws SQLException {
        try {
            Drawn drawn = locks.take(connection, id, mode, floor);
            heard();
            if (!drawn.isHad()) {
                return 0;
            }
            expect(drawn.identity());
            return checked(drawn.number());
        } catch (SQLException | StoreException e) {
            if (!(e instanceof SessionEndedException)
                    && !(e instanceof SQLException sql && Failures.isConnectionLost(sql))) {
                undo(id, mode, e);
            }
            throw e;
        }
    }

    /** It may have been taken or not, so whether it was there does not matter. */
    private void undo(String id, LockMode mode, Exception why) throws SessionEndedException {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            locks.unlock(connection, mode, List.of(id));
        } catch (SQLException e) {
            e.addSuppressed(why);
            throw new SessionEndedException("A lock without a number could not be given back: " + e.getMessage(), e);
        }
    }

    private static long checked(long number) {
        if (number <= 0 || number > FencingToken.MAX_GRANT) {
            throw StoreException.refused("Grant numbers are used up: " + number
                    + " in interlock_session_token is more than 53 bits. Somebody has written to the table");
        }
        return number;
    }

    /** What keeps a claim from being granted. Of another process nothing is known, nor of another key with the same hash. */
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

    /** The server must not end the session for its silence before its longest lease is over. */
    void liveFor(Duration lease) throws SQLException {
        Duration wanted = lease.compareTo(LONGEST_SILENCE) > 0 ? LONGEST_SILENCE : lease.plus(MARGIN);
        if (wanted.compareTo(silence) > 0) {
            locks.endWhenSilentFor(connection, wanted);
            silence = wanted;
        }
    }

    /** Ends grants; one answer each. Locks without holders are given back in one statement per mode. */
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
        giveBack(free);
        return answers;
    }

    private void giveBack(Map<LockMode, List<String>> free) throws SQLException {
        for (Map.Entry<LockMode, List<String>> some : free.entrySet()) {
            Set<String> missing;
            try {
                missing = locks.unlock(connection, some.getKey(), some.getValue());
                heard();
            } catch (SQLException e) {
                // What is left at the database has no holder here, and would be taken twice the next time.
                throw new SessionEndedException("Locks could not be given back: " + e.getMessage(), e);
            }
            if (!missing.isEmpty()) {
                throw new SessionEndedException("Session " + identity + " did not have the locks " + missing
                        + " that it was granted: something else has released them over its connection");
            }
        }
    }

    private void forgetExpired(String id, long nowNanos) throws SQLException {
        for (Holder holder : List.copyOf(holders.of(id))) {
            if (!holder.isHeld(nowNanos) && holders.removeLast(id, holder)) {
                giveBack(Map.of(holder.mode, List.of(id)));
            }
        }
    }

    /** Gives back what nobody has renewed in time. */
    void forgetExpired(long nowNanos) throws SQLException {
        giveBack(holders.removeAll(holder -> !holder.isHeld(nowNanos)));
    }

    /** Gives back what a store that is closed has left behind. */
    void forget(Object store) throws SQLException {
        giveBack(holders.removeAll(holder -> holder.store == store));
    }

    /** Ends the session here, and at the server as soon as it hears of it. */
    void end() {
        ended = true;
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // It was broken before, or it is now: nobody uses it again.
        }
    }

    /** Ends a session that is sound, and says so to the server. */
    void close() {
        ended = true;
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            end();
        }
    }
}
