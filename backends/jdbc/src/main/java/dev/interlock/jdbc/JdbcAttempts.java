package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Takes locks: by single statements where one suffices, the likely one first, and over locked rows otherwise. */
final class JdbcAttempts {
    private final LockDatabase database;
    private final LeaseTable table;
    private final BlockingCalls calls;
    private final RowSteps steps;
    private final KnownLocks known;
    private final JdbcReleases releases;
    private final @Nullable PostgresNotifications notifications;
    private final @Nullable PostgresShortcuts shortcuts;

    JdbcAttempts(
            LockDatabase database,
            LeaseTable table,
            BlockingCalls calls,
            RowSteps steps,
            KnownLocks known,
            JdbcReleases releases,
            @Nullable PostgresNotifications notifications) {
        this.database = database;
        this.table = table;
        this.calls = calls;
        this.steps = steps;
        this.known = known;
        this.releases = releases;
        this.notifications = notifications;
        this.shortcuts = table.shortcuts();
    }

    CompletionStage<AttemptAnswer> attempt(Attempt attempt, Duration mayBlock) {
        LockKey first = attempt.claims().get(0).key();
        try {
            if (isPlain(attempt) && !known.hadWaiters(first)) {
                if (attempt.claims().size() > 1) {
                    return attemptAllHere(attempt, mayBlock);
                } else if (known.contains(first)) {
                    return attemptOneHere(attempt, mayBlock);
                }
            }
        } catch (StoreException e) {
            return CompletableFuture.failedStage(e);
        }
        return attemptThere(attempt);
    }

    /** Takes a lock on the calling thread if that thread may be used. */
    private CompletionStage<AttemptAnswer> attemptOneHere(Attempt attempt, Duration mayBlock) {
        Long number = database.here(mayBlock, table.taking, it -> table.take(it, attempt));
        if (number == null) {
            return attemptThere(attempt);
        }
        if (number > 0) {
            return CompletableFuture.completedStage(granted(attempt, number));
        }
        return calls.ask(() -> {
            AttemptAnswer queued = queueUp(attempt);
            return queued != null ? queued : attemptOnRows(attempt);
        });
    }

    private CompletionStage<AttemptAnswer> attemptAllHere(Attempt attempt, Duration mayBlock) {
        PostgresShortcuts postgres = shortcuts;
        List<Granted> here = postgres == null ? null : database.here(mayBlock, it -> postgres.takeAll(it, attempt));
        if (here == null) {
            return attemptThere(attempt);
        }
        AttemptAnswer answer = granted(attempt, here);
        return answer != null ? CompletableFuture.completedStage(answer) : calls.ask(() -> attemptOnRows(attempt));
    }

    /** Takes locks on a thread of the engine, with as many statements as that takes. */
    private CompletionStage<AttemptAnswer> attemptThere(Attempt attempt) {
        return calls.ask(() -> {
            AttemptAnswer answer =
                    isPlain(attempt) ? attempt.claims().size() == 1 ? attemptOne(attempt) : attemptAll(attempt) : null;
            return answer != null ? answer : attemptOnRows(attempt);
        });
    }

    /** Whether single statements suffice: exclusive claims without lock-delay, of a request that holds nothing yet. */
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

    /** Tries single statements, the likely one first; null if none of them succeeds. */
    private @Nullable AttemptAnswer attemptOne(Attempt attempt) {
        LockKey key = attempt.claims().get(0).key();
        if (known.hadWaiters(key)) {
            AttemptAnswer queued = queueUp(attempt);
            return queued != null ? queued : take(attempt);
        }
        AttemptAnswer answer = known.contains(key) ? null : takeNew(attempt);
        if (answer == null) {
            answer = take(attempt);
        }
        return answer != null ? answer : queueUp(attempt);
    }

    private @Nullable AttemptAnswer takeNew(Attempt attempt) {
        long number = database.statement(it -> table.takeNew(it, attempt));
        known.remember(attempt.claims().get(0).key(), false);
        if (number == 0) {
            return null;
        }
        steps.created(1);
        return granted(attempt, number);
    }

    private @Nullable AttemptAnswer take(Attempt attempt) {
        long number = database.statement(it -> table.take(it, attempt));
        return number == 0 ? null : granted(attempt, number);
    }

    private static AttemptAnswer granted(Attempt attempt, long number) {
        Claim claim = attempt.claims().get(0);
        return new AttemptAnswer.All(List.of(new Granted(new Grant(claim.key(), attempt.id(), number), claim.lease())));
    }

    /** Queues behind an exclusive holder by one statement; null if there is none or the request does not queue. */
    private @Nullable AttemptAnswer queueUp(Attempt attempt) {
        if (notifications == null || shortcuts == null || !attempt.enqueue()) {
            return null;
        }
        PostgresShortcuts postgres = shortcuts;
        String channel = notifications.channel();
        Claim claim = attempt.claims().get(0);
        PostgresShortcuts.Busy busy = database.statement(
                        it -> Optional.ofNullable(postgres.queueUp(it, attempt, claim, channel)))
                .orElse(null);
        known.remember(claim.key(), busy != null);
        if (busy == null) {
            return null;
        }
        LockRow row = new LockRow(claim.key(), busy.holder().number);
        row.holders.add(busy.holder());
        return new AttemptAnswer.Queued(List.of(), obstacle(row, 0, busy.now()));
    }

    /** Takes all locks by one statement; null if not all of them are free. */
    private @Nullable AttemptAnswer attemptAll(Attempt attempt) {
        PostgresShortcuts postgres = shortcuts;
        return postgres == null ? null : granted(attempt, database.statement(it -> postgres.takeAll(it, attempt)));
    }

    private @Nullable AttemptAnswer granted(Attempt attempt, List<Granted> granted) {
        if (granted.size() == attempt.claims().size()) {
            return new AttemptAnswer.All(granted);
        }
        if (!granted.isEmpty()) {
            // The statement rules this out. If it were wrong, a lock behind a busy one would stay taken without a
            // holder.
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
        known.remember(claim.key(), true);
        AttemptAnswer.Obstacle obstacle = obstacle(row, row.queue.size(), now);
        if (!attempt.enqueue()) {
            return new AttemptAnswer.Busy(granted, obstacle);
        }
        row.enqueue(claim, attempt, notifications == null ? "" : notifications.channel(), now);
        return new AttemptAnswer.Queued(granted, obstacle);
    }

    private AttemptAnswer.Obstacle obstacle(LockRow row, long ahead, long now) {
        List<LockSnapshot.Holder> holders = row.describe(now);
        return new AttemptAnswer.Obstacle(
                row.key,
                holders.isEmpty() ? Optional.empty() : Optional.of(holders.get(0)),
                PollInterval.recheck(row, ahead, now, notifications != null));
    }
}
