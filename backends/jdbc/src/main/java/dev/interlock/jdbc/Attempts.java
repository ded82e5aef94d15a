package dev.interlock.jdbc;

import dev.interlock.jdbc.Guesses.Interest;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Takes locks: by single statements where these do, the likely one first, and over locked rows otherwise. */
final class Attempts {
    /** How many statements for gathered locks are under way at once; what comes meanwhile goes together. */
    static final int CARRIERS = 2;

    private final Database database;
    private final LeaseTable table;
    private final Lanes lanes;
    private final RowSteps steps;
    private final Guesses guesses;
    private final Releases releases;
    private final @Nullable PostgresPushes pushes;
    private final @Nullable PostgresShortcuts shortcuts;
    private final @Nullable Gathering<Attempt, Long> takes;

    Attempts(
            Database database,
            LeaseTable table,
            Lanes lanes,
            RowSteps steps,
            Guesses guesses,
            Releases releases,
            @Nullable PostgresPushes pushes) {
        this.database = database;
        this.table = table;
        this.lanes = lanes;
        this.steps = steps;
        this.guesses = guesses;
        this.releases = releases;
        this.pushes = pushes;
        this.shortcuts = table.shortcuts();
        Together many = table.together();
        this.takes = many == null
                ? null
                : new Gathering<>(
                        lanes.ordinary(),
                        CARRIERS,
                        Lanes.LONGEST_TURN,
                        attempt -> attempt.claims().get(0).key(),
                        attempts -> takeMany(many, attempts));
    }

    /** An attempt that has not left yet need not any more. */
    void drop(OwnerId id) {
        if (takes != null) {
            takes.drop(attempt -> attempt.id().equals(id));
        }
    }

    CompletionStage<AttemptAnswer> attempt(Attempt attempt) {
        LockKey first = attempt.claims().get(0).key();
        // They are extended, and from now on their owner may have other locks too: give-at is for one who has only one.
        attempt.held().forEach(held -> guesses.moves(held.grant().key()));
        try {
            if (isPlain(attempt) && !guesses.isWanted(first)) {
                if (attempt.claims().size() > 1) {
                    return attemptAllHere(attempt);
                } else if (guesses.hasRow(first)) {
                    return attemptOneHere(attempt);
                }
            }
        } catch (StoreException e) {
            return CompletableFuture.failedStage(e);
        }
        return attemptThere(attempt);
    }

    /** By the caller's own thread if it can be had, together with others' otherwise. */
    private CompletionStage<AttemptAnswer> attemptOneHere(Attempt attempt) {
        LeaseTable.Drawn here = database.here(lanes.here(), table.taking, take -> table.take(take, attempt));
        if (here != null) {
            guesses.liesAt(attempt.claims().get(0).key(), here);
            return goOn(attempt, here.number());
        }
        return takes == null ? attemptThere(attempt) : takes.ask(attempt).thenCompose(number -> goOn(attempt, number));
    }

    /** After the likely statement, with the number that it has drawn. */
    private CompletionStage<AttemptAnswer> goOn(Attempt attempt, long number) {
        if (number > 0) {
            return CompletableFuture.completedStage(granted(attempt, number));
        }
        if (!guesses.isKnown(attempt.claims().get(0).key())) {
            guesses.sawStranger(false);
            return attemptThere(attempt);
        }
        return lanes.ask(() -> {
            AttemptAnswer queued = queueUp(attempt, Interest.HEIR);
            if (queued == null) {
                queued = queueUp(attempt, Interest.CROWD);
            }
            return queued != null ? queued : attemptOnRows(attempt);
        });
    }

    private CompletionStage<AttemptAnswer> attemptAllHere(Attempt attempt) {
        PostgresShortcuts all = shortcuts;
        List<Granted> here = all == null ? null : database.here(lanes.here(), it -> all.takeAll(it, attempt));
        if (here == null) {
            return attemptThere(attempt);
        }
        AttemptAnswer answer = granted(attempt, here);
        return answer != null ? CompletableFuture.completedStage(answer) : lanes.ask(() -> attemptOnRows(attempt));
    }

    /** By a thread of the engine's, with as many statements as it takes. */
    private CompletionStage<AttemptAnswer> attemptThere(Attempt attempt) {
        return lanes.ask(() -> {
            AttemptAnswer answer =
                    isPlain(attempt) ? attempt.claims().size() == 1 ? attemptOne(attempt) : attemptAll(attempt) : null;
            return answer != null ? answer : attemptOnRows(attempt);
        });
    }

    /** Exclusive claims of a request that has nothing yet: what single statements can do. */
    private static boolean isPlain(Attempt attempt) {
        if (!attempt.held().isEmpty()) {
            return false;
        }
        for (Claim claim : attempt.claims()) {
            if (claim.mode() != LockMode.EXCLUSIVE || !claim.lockDelay().isZero()) {
                return false;
            }
        }
        return true;
    }

    /** By single statements, the likely one first; null if none of them does. */
    private @Nullable AttemptAnswer attemptOne(Attempt attempt) {
        LockKey key = attempt.claims().get(0).key();
        Interest interest = guesses.interestIn(key);
        AttemptAnswer answer = guesses.hasRow(key) ? null : begin(attempt);
        if (answer == null && interest != Interest.NOBODY) {
            answer = queueUp(attempt, interest);
        }
        if (answer == null) {
            answer = take(attempt);
        }
        if (answer == null && !guesses.isKnown(key)) {
            answer = begin(attempt);
        }
        if (answer == null && interest != Interest.HEIR) {
            answer = queueUp(attempt, Interest.HEIR);
        }
        return answer != null || interest == Interest.CROWD ? answer : queueUp(attempt, Interest.CROWD);
    }

    private @Nullable AttemptAnswer begin(Attempt attempt) {
        LockKey key = attempt.claims().get(0).key();
        long number = database.statement(it -> table.begin(it, attempt));
        guesses.saw(key, Interest.NOBODY);
        guesses.sawStranger(number == 0);
        if (number == 0) {
            return null;
        }
        steps.made(1);
        return granted(attempt, number);
    }

    private List<Long> takeMany(Together many, List<Attempt> attempts) {
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

    /** As one of several, or as the only one; null if that is not how it is. */
    private @Nullable AttemptAnswer queueUp(Attempt attempt, Interest interest) {
        if (pushes == null || shortcuts == null || !attempt.enqueue()) {
            return null;
        }
        PostgresShortcuts one = shortcuts;
        String channel = pushes.channel();
        Claim claim = attempt.claims().get(0);
        PostgresShortcuts.Busy busy = database.statement(it -> Optional.ofNullable(
                        interest == Interest.HEIR
                                ? one.inherit(it, attempt, claim, channel)
                                : one.queueUp(it, attempt, claim, channel)))
                .orElse(null);
        guesses.saw(claim.key(), busy != null ? interest : Interest.NOBODY);
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
        return all == null ? null : granted(attempt, database.statement(it -> all.takeAll(it, attempt)));
    }

    private @Nullable AttemptAnswer granted(Attempt attempt, List<Granted> granted) {
        if (granted.size() == attempt.claims().size()) {
            return new AttemptAnswer.All(granted);
        }
        if (!granted.isEmpty()) {
            // The statement rules this out. If it were wrong, a lock behind a busy one would stay taken and nobody
            // would know.
            releases.onRows(granted.stream().map(Granted::grant).toList());
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
        guesses.saw(claim.key(), Interest.CROWD);
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
                row.key,
                holders.isEmpty() ? Optional.empty() : Optional.of(holders.get(0)),
                Pauses.recheck(row, ahead, now, pushes != null));
    }
}
