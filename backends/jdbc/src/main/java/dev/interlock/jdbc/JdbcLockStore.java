package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.Holder;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockSnapshot;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The lock store in a database's words. The usual case is one short statement; everything else locks the rows it is about, in the order
 * of their names, and decides by the rules of {@link LockRow}.
 */
final class JdbcLockStore implements LockStore {
    /** As long as the engine waits for an answer. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(2);

    /** Releases are made however late it is: they make room. */
    private static final Duration ANY_TURN = Duration.ofDays(1);

    /** How many statements for gathered locks are under way at once; what comes meanwhile goes together. */
    private static final int CARRIERS = 2;

    /** For a waiter whose lock cannot be looked at now. */
    private static final Duration LATER = Duration.ofMillis(400);

    private final Database database;
    private final LeaseTable table;
    private final StoreContext context;
    private final @Nullable PostgresPushes pushes;
    private final @Nullable PostgresShortcuts shortcuts;
    private final Guesses guesses = new Guesses();
    private final RowSteps steps;
    private final Renewals renewals;
    private final @Nullable Gathering<Attempt, Long> takes;
    private final @Nullable Gathering<Grant, Boolean> gives;

    JdbcLockStore(Database database, LeaseTable table, StoreContext context, @Nullable PostgresPushes pushes) {
        this.database = database;
        this.table = table;
        this.context = context;
        this.pushes = pushes;
        this.shortcuts = table.shortcuts();
        this.steps = new RowSteps(database, table, context, pushes);
        this.renewals = new Renewals(database, table, steps);
        PostgresShortcuts many = shortcuts;
        this.takes = many == null
                ? null
                : new Gathering<>(
                        context.ordinary(),
                        CARRIERS,
                        LONGEST_TURN,
                        attempt -> attempt.claims().get(0).key(),
                        attempts -> takeMany(many, attempts));
        this.gives = many == null
                ? null
                : new Gathering<>(context.urgent(), CARRIERS, ANY_TURN, Grant::key, grants -> giveMany(many, grants));
    }

    @Override
    public CompletionStage<String> terms(String expected, String proposed) {
        return ordinary(() -> database.transaction(connection -> {
            String stored = table.namespaceRow(connection);
            if (stored == null) {
                throw StoreException.refused("The namespace has lost its row in interlock_namespace: connect again");
            }
            if (!stored.equals(expected)) {
                return stored;
            }
            table.agree(connection, proposed);
            return proposed;
        }));
    }

    @Override
    public CompletionStage<AttemptAnswer> attempt(Attempt attempt) {
        LockKey first = attempt.claims().get(0).key();
        boolean alone = isPlain(attempt) && attempt.claims().size() == 1;
        if (takes != null && alone && guesses.isKnown(first) && !guesses.isCrowded(first)) {
            return takes.ask(attempt)
                    .thenCompose(number -> number > 0
                            ? CompletableFuture.completedStage(granted(attempt, number))
                            : ordinary(() -> {
                                AttemptAnswer queued = queueUp(attempt);
                                return queued != null ? queued : attemptOnRows(attempt);
                            }));
        }
        return ordinary(() -> {
            AttemptAnswer answer =
                    isPlain(attempt) ? attempt.claims().size() == 1 ? attemptOne(attempt) : attemptAll(attempt) : null;
            return answer != null ? answer : attemptOnRows(attempt);
        });
    }

    /** Exclusive claims of a request that has nothing yet: what single statements can do. */
    private static boolean isPlain(Attempt attempt) {
        return attempt.held().isEmpty()
                && attempt.claims().stream()
                        .allMatch(claim -> claim.mode() == LockMode.EXCLUSIVE
                                && claim.lockDelay().isZero());
    }

    /** By single statements, the likely one first; null if none of them does. */
    private @Nullable AttemptAnswer attemptOne(Attempt attempt) {
        LockKey key = attempt.claims().get(0).key();
        boolean crowded = guesses.isCrowded(key);
        AttemptAnswer answer = guesses.isKnown(key) ? null : begin(attempt);
        if (answer == null && crowded) {
            answer = queueUp(attempt);
        }
        if (answer == null) {
            answer = take(attempt);
        }
        return answer != null || crowded ? answer : queueUp(attempt);
    }

    private @Nullable AttemptAnswer begin(Attempt attempt) {
        LockKey key = attempt.claims().get(0).key();
        long number = database.statement(it -> table.begin(it, attempt));
        guesses.saw(key, false);
        if (number == 0) {
            return null;
        }
        steps.made(1);
        return granted(attempt, number);
    }

    private List<Long> takeMany(PostgresShortcuts many, List<Attempt> attempts) {
        if (attempts.size() > 1) {
            return database.statement(it -> many.takeMany(it, attempts));
        }
        long number = database.statement(it -> table.take(it, attempts.get(0)));
        return List.of(number);
    }

    private @Nullable AttemptAnswer take(Attempt attempt) {
        long number = database.statement(it -> table.take(it, attempt));
        return number == 0 ? null : granted(attempt, number);
    }

    private static AttemptAnswer granted(Attempt attempt, long number) {
        Claim claim = attempt.claims().get(0);
        return new AttemptAnswer.All(List.of(new Granted(new Grant(claim.key(), attempt.id(), number), claim.lease())));
    }

    private @Nullable AttemptAnswer queueUp(Attempt attempt) {
        if (pushes == null || shortcuts == null || !attempt.enqueue()) {
            return null;
        }
        PostgresShortcuts one = shortcuts;
        String channel = pushes.channel();
        Claim claim = attempt.claims().get(0);
        PostgresShortcuts.Busy busy = database.statement(
                        it -> Optional.ofNullable(one.queueUp(it, attempt, claim, channel)))
                .orElse(null);
        guesses.saw(claim.key(), busy != null);
        if (busy == null) {
            return null;
        }
        LockRow row = new LockRow(claim.key(), busy.holder().number);
        row.holders.add(busy.holder());
        return new AttemptAnswer.Queued(List.of(), obstacle(row, 0, busy.now()));
    }

    /** All or none by one statement; null if none. */
    private @Nullable AttemptAnswer attemptAll(Attempt attempt) {
        PostgresShortcuts all = shortcuts;
        List<Granted> granted = all == null ? List.of() : database.statement(it -> all.takeAll(it, attempt));
        if (granted.size() == attempt.claims().size()) {
            return new AttemptAnswer.All(granted);
        }
        if (!granted.isEmpty()) {
            // The statement rules this out. If it were wrong, a lock behind a busy one would stay taken and nobody
            // would know.
            releaseOnRows(granted.stream().map(Granted::grant).toList());
        }
        return null;
    }

    private AttemptAnswer attemptOnRows(Attempt attempt) {
        Set<LockKey> wanted = new LinkedHashSet<>();
        attempt.claims().forEach(claim -> wanted.add(claim.key()));
        Set<LockKey> all = new LinkedHashSet<>(wanted);
        attempt.held().forEach(held -> all.add(held.grant().key()));
        return steps.on(all, wanted, rows -> {
            for (Renewal held : attempt.held()) {
                LockRow row = rows.find(held.grant().key());
                if (row == null || row.holder(held.grant(), rows.now) == null) {
                    return new AttemptAnswer.HeldGone(held.grant().key());
                }
            }
            for (Renewal held : attempt.held()) {
                rows.change(held.grant().key()).renew(held, rows.now);
            }
            List<Granted> granted = new ArrayList<>(attempt.claims().size());
            for (Claim claim : attempt.claims()) {
                LockRow row = rows.change(claim.key());
                rows.refresh(row);
                Granted grant = row.take(claim, attempt, rows.now);
                if (grant == null) {
                    return stopped(attempt, claim, row, granted, rows.now);
                }
                granted.add(grant);
            }
            return new AttemptAnswer.All(granted);
        });
    }

    private AttemptAnswer stopped(Attempt attempt, Claim claim, LockRow row, List<Granted> granted, long now) {
        guesses.saw(claim.key(), true);
        AttemptAnswer.Obstacle obstacle = obstacle(row, row.queue.size(), now);
        if (!attempt.enqueue()) {
            return new AttemptAnswer.Busy(granted, obstacle);
        }
        row.enqueue(claim, attempt, pushes == null ? "" : pushes.channel(), now);
        return new AttemptAnswer.Queued(granted, obstacle);
    }

    private AttemptAnswer.Obstacle obstacle(LockRow row, long ahead, long now) {
        List<LockSnapshot.Holder> holders = row.describe(now);
        return new AttemptAnswer.Obstacle(
                row.key, holders.isEmpty() ? Optional.empty() : Optional.of(holders.get(0)), recheck(row, ahead, now));
    }

    /** When asking again may help: when a lease ends, and earlier where nobody tells of a release. */
    private Duration recheck(LockRow row, long ahead, long now) {
        Duration end = row.firstEnd(now);
        if (pushes != null) {
            return end;
        }
        Duration pause = Pauses.next(now - row.newest(), ahead);
        return pause.compareTo(end) < 0 ? pause : end;
    }

    /** Most waiters wait on: for them it is a heartbeat and a look, and no row is locked that others need. */
    @Override
    public CompletionStage<List<WaitAnswer>> keepWaiting(List<Place> places) {
        return ordinary(() -> {
            List<Place> sorted = places.stream()
                    .sorted((a, b) -> Names.ORDER.compare(a.key(), b.key()))
                    .toList();
            Set<LockKey> keys = keys(sorted.stream().map(Place::key).toList());
            Set<Place> heard = heard(sorted);
            LeaseTable.Locked seen = database.statement(connection -> table.look(connection, keys));
            Map<Place, Long> ahead = pushes != null
                    ? Map.of()
                    : database.statement(connection -> table.crowd().ahead(connection, keys, sorted));
            List<WaitAnswer> answers = new ArrayList<>(places.size());
            for (Place place : places) {
                LockRow row = seen.rows().get(place.key());
                boolean isHeard = heard.contains(place);
                answers.add(
                        isHeard && row != null && row.isSomeoneElses(place.id(), seen.now())
                                ? new WaitAnswer.Waiting(recheck(row, ahead.getOrDefault(place, 0L), seen.now()))
                                : keepWaitingOnRow(place, isHeard));
            }
            return answers;
        });
    }

    private Set<Place> heard(List<Place> sorted) {
        boolean[] waiting =
                database.batch(sorted.size(), connection -> table.crowd().hear(connection, sorted));
        Set<Place> heard = new HashSet<>();
        for (int i = 0; i < waiting.length; i++) {
            if (waiting[i]) {
                heard.add(sorted.get(i));
            }
        }
        return heard;
    }

    /** One after the other: a row that somebody sits on delays those who wait for other locks, and fails none of them. */
    private WaitAnswer keepWaitingOnRow(Place place, boolean heard) {
        try {
            return steps.on(Set.of(place.key()), Set.of(), rows -> keepWaiting(rows, place, heard));
        } catch (StoreException e) {
            if (heard && e.isAnswered() && e.kind() == StoreException.Kind.NOT_SENT) {
                return new WaitAnswer.Waiting(LATER);
            }
            throw e;
        }
    }

    private WaitAnswer keepWaiting(RowSteps.Rows rows, Place place, boolean heard) {
        LockRow row = rows.find(place.key());
        if (row == null) {
            return new WaitAnswer.Forgotten();
        }
        String owner = place.id().value();
        rows.change(place.key());
        rows.refresh(row);
        Holder mine = row.holder(owner);
        if (mine != null && mine.isHeld(rows.now)) {
            return new WaitAnswer.Won(row.granted(mine, rows.now));
        }
        return heard && (row.queue.containsKey(owner) || row.more)
                ? new WaitAnswer.Waiting(recheck(row, row.ahead(owner), rows.now))
                : new WaitAnswer.Forgotten();
    }

    @Override
    public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
        if (takes != null) {
            takes.drop(attempt -> attempt.id().equals(id));
        }
        return urgent(() -> steps.on(keys(keys), Set.of(), rows -> {
            List<Granted> granted = new ArrayList<>();
            for (LockKey key : keys) {
                LockRow row = rows.find(key);
                if (row != null) {
                    rows.change(key).leave(id.value());
                    rows.refresh(row);
                    Holder mine = row.holder(id.value());
                    if (mine != null && mine.isHeld(rows.now)) {
                        granted.add(row.granted(mine, rows.now));
                    }
                }
            }
            return granted;
        }));
    }

    @Override
    public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> list) {
        return supply(inTime(() -> renewals.renew(list)), context.urgent());
    }

    @Override
    public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants) {
        Grant first = grants.get(0);
        if (gives != null && grants.size() == 1 && !guesses.isCrowded(first.key())) {
            return gives.ask(first)
                    .thenCompose(given -> given
                            ? CompletableFuture.completedStage(List.of(ReleaseAnswer.RELEASED))
                            : urgent(() -> List.of(
                                    handOver(first)
                                            ? ReleaseAnswer.RELEASED
                                            : releaseOnRows(grants).getOrDefault(first, ReleaseAnswer.NOT_HELD))));
        }
        return urgent(() -> {
            Set<LockKey> released = grants.size() == 1 ? releaseOne(grants.get(0)) : releaseAll(grants);
            List<Grant> others = grants.stream()
                    .filter(grant -> !released.contains(grant.key()))
                    .toList();
            Map<Grant, ReleaseAnswer> slow = others.isEmpty() ? Map.of() : releaseOnRows(others);
            return grants.stream()
                    .map(grant -> slow.getOrDefault(grant, ReleaseAnswer.RELEASED))
                    .toList();
        });
    }

    private Set<LockKey> releaseOne(Grant grant) {
        boolean crowded = guesses.isCrowded(grant.key());
        boolean done = crowded ? handOver(grant) || give(grant) : give(grant) || handOver(grant);
        return done ? Set.of(grant.key()) : Set.of();
    }

    private List<Boolean> giveMany(PostgresShortcuts many, List<Grant> grants) {
        if (grants.size() == 1) {
            return List.of(give(grants.get(0)));
        }
        Set<LockKey> given = database.statement(connection -> many.giveAll(connection, grants));
        grants.forEach(grant -> guesses.saw(grant.key(), !given.contains(grant.key())));
        return grants.stream().map(grant -> given.contains(grant.key())).toList();
    }

    private boolean give(Grant grant) {
        boolean given = database.statement(connection -> table.give(connection, grant));
        guesses.saw(grant.key(), !given);
        return given;
    }

    private boolean handOver(Grant grant) {
        PostgresShortcuts one = shortcuts;
        return one != null && database.statement(connection -> one.handOver(connection, grant));
    }

    private Set<LockKey> releaseAll(List<Grant> grants) {
        PostgresShortcuts all = shortcuts;
        return all == null ? Set.of() : database.statement(connection -> all.giveAll(connection, grants));
    }

    private Map<Grant, ReleaseAnswer> releaseOnRows(List<Grant> grants) {
        return steps.on(keys(grants.stream().map(Grant::key).toList()), Set.of(), rows -> {
            Map<Grant, ReleaseAnswer> answers = new HashMap<>();
            for (Grant grant : grants) {
                answers.put(grant, release(rows, grant));
            }
            return answers;
        });
    }

    private static ReleaseAnswer release(RowSteps.Rows rows, Grant grant) {
        LockRow row = rows.find(grant.key());
        if (row == null || !row.release(grant, rows.now)) {
            return ReleaseAnswer.NOT_HELD;
        }
        rows.change(row.key);
        rows.refresh(row);
        return ReleaseAnswer.RELEASED;
    }

    @Override
    public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
        return ordinary(() -> {
            Map<LockKey, Integer> waiters = new HashMap<>();
            LeaseTable.Locked found = database.statement(connection ->
                    table.list(connection, query.prefix(), query.after().orElse(""), query.limit() + 1, waiters));
            List<LockSnapshot> locks = new ArrayList<>();
            String last = "";
            boolean more = false;
            for (LockRow row : found.rows().values()) {
                if (!row.key.name().startsWith(query.prefix())) {
                    break;
                }
                if (locks.size() == query.limit()) {
                    more = true;
                    break;
                }
                row.refresh(found.now());
                locks.add(new LockSnapshot(row.key, row.describe(found.now()), waiters.getOrDefault(row.key, 0)));
                last = row.key.name();
            }
            locks.removeIf(lock -> lock.holders().isEmpty() && lock.waiters() == 0);
            return new LockPage(
                    locks,
                    more ? Optional.of(last) : Optional.empty(),
                    context.surroundings().wall());
        });
    }

    @Override
    public CompletionStage<Integer> forceRelease(LockKey key) {
        return ordinary(() -> steps.on(Set.of(key), Set.of(), rows -> {
            LockRow row = rows.find(key);
            if (row == null) {
                return 0;
            }
            rows.change(key);
            rows.refresh(row);
            int count = row.forceRelease();
            rows.refresh(row);
            return count;
        }));
    }

    private static Set<LockKey> keys(Collection<LockKey> keys) {
        return new LinkedHashSet<>(keys);
    }

    private <T> CompletionStage<T> ordinary(Supplier<T> answer) {
        return supply(inTime(answer), context.ordinary());
    }

    /** Releases and withdrawals are done however late it is: they make room. */
    private <T> CompletionStage<T> urgent(Supplier<T> answer) {
        return supply(answer, context.urgent());
    }

    private static <T> CompletionStage<T> supply(Supplier<T> answer, Executor executor) {
        return CompletableFuture.supplyAsync(answer, executor);
    }

    /** While the database hangs, work piles up whose askers have given up: it must not be done when nobody wants it any more. */
    private static <T> Supplier<T> inTime(Supplier<T> answer) {
        long asked = System.nanoTime();
        return () -> {
            if (System.nanoTime() - asked > LONGEST_TURN.toNanos()) {
                throw StoreException.notSent("It was not this request's turn for too long, so it was not sent", null);
            }
            return answer.get();
        };
    }

    @Override
    public void close() {
        if (pushes != null) {
            pushes.close();
        }
    }
}
