package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.lock.AlreadyHeldException;
import dev.interlock.lock.DeadlockException;
import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.AttemptAnswer.Obstacle;
import dev.interlock.spi.Claim;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** What a wait that ended without a lease says: which key, who has it, since when, and what to do. */
record WaitWords(Engine engine, List<Claim> claims, long startedNanos) {
    LockTimeoutException timedOut(boolean waited, LockKey current, @Nullable Obstacle met) {
        String who = met == null
                ? localHolder(current)
                : met.holder().map(WaitWords::describe).orElse("somebody whom the store does not name");
        return new LockTimeoutException("No lock on " + wanted() + (waited ? " after " + waited() : "") + ": \""
                + (met == null ? current : met.key()) + "\" is busy, " + who
                + ". Wait longer, or find out why it is held so long");
    }

    private String localHolder(LockKey key) {
        Gate gate = engine.gates().find(key);
        List<Hold> holds = gate == null ? List.of() : gate.localHolds();
        if (holds.isEmpty()) {
            return "another request of this process is just asking for it";
        }
        Hold hold = holds.get(0);
        return "held by this process, " + engine.label() + " (owner "
                + hold.grant(0).owner() + ", " + hold.claimOn(key).mode() + ") for "
                + Duration.ofNanos(hold.heldNanos(engine.now())).toMillis() + " ms";
    }

    private static String describe(LockSnapshot.Holder holder) {
        return "held by " + holder.label() + " (owner " + holder.owner() + ", " + holder.mode() + ") for "
                + holder.heldFor().toMillis() + " ms; its lease ends in "
                + holder.endsIn().toMillis() + " ms unless renewed";
    }

    StoreUnavailableException unavailable(@Nullable StoreException why) {
        return new StoreUnavailableException(
                "No lock on " + wanted() + " after " + waited()
                        + ": the store is not available, so the lock counts as taken. "
                        + (why == null ? engine.storeName() + " has not answered yet" : why.getMessage()),
                why);
    }

    LockRefusedException refused(LockKey key, StoreException why) {
        return new LockRefusedException("The store refused \"" + key + "\": " + why.getMessage());
    }

    LockRefusedException full(LockKey key) {
        return new LockRefusedException(EngineSettings.WAITERS_PER_KEY + " requests of this process wait for \"" + key
                + "\" already: slow the callers down or split the key");
    }

    AlreadyHeldException heldByItsScope(LockKey key, EngineScope scope) {
        return new AlreadyHeldException(
                key,
                "\"" + key + "\" is held by " + scope + ", which also waited for it for " + waited()
                        + ": two requests of this scope asked for it at the same time, and waiting would never end. Ask once, and pass the lease along");
    }

    DeadlockException deadlock(Deadlock deadlock) {
        Instant now = engine.surroundings().wall();
        StringBuilder text = new StringBuilder("Deadlock: \"")
                .append(deadlock.victim().wanted())
                .append("\" would never be free, so this wait was given up after ")
                .append(waited())
                .append(
                        " and the others go on. Release what is held and try again; take the keys in one request to prevent it. Each waits for the next one:");
        deadlock.waits().forEach(wait -> text.append("\n    ").append(wait.describe(now)));
        return new DeadlockException(text.toString(), deadlock.waits());
    }

    LockInterruptedException interrupted() {
        return new LockInterruptedException(
                "Interrupted after " + waited() + " while waiting for " + wanted() + "; nothing is held");
    }

    CancellationException cancelled() {
        return new CancellationException("Cancelled after " + waited() + " while waiting for " + wanted());
    }

    InterlockClosedException closed() {
        return new InterlockClosedException("Interlock was closed while waiting for " + wanted());
    }

    private String waited() {
        return Duration.ofNanos(engine.now() - startedNanos).toMillis() + " ms";
    }

    private String wanted() {
        String first = "\"" + claims.get(0).key() + "\"";
        return claims.size() == 1 ? first : first + " and " + (claims.size() - 1) + " more";
    }
}
