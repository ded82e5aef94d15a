package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.internal.runtime.EngineRuntime;
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
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** The exceptions of waits that ended without a lease. They name the key, its holder, the times, and what to do. */
final class WaitMessages {
    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final Gates gates;

    WaitMessages(EngineRuntime runtime, EngineSettings settings, Gates gates) {
        this.runtime = runtime;
        this.settings = settings;
        this.gates = gates;
    }

    LockTimeoutException timedOut(Waiter waiter) {
        Obstacle met = waiter.obstacle;
        LockKey current = waiter.currentClaim().key();
        String holder = met == null
                ? localHolder(current)
                : met.holder().map(WaitMessages::describe).orElse("held by a client that the store does not name");
        return new LockTimeoutException("No lock on " + wanted(waiter)
                + (waiter.mayWait() ? " after " + waited(waiter) : "") + ": \"" + (met == null ? current : met.key())
                + "\" is busy, " + holder + ". Wait longer, or find out why it is held so long");
    }

    private String localHolder(LockKey key) {
        Gate gate = gates.find(key);
        List<Hold> holds = gate == null ? List.of() : gate.localHolds();
        if (holds.isEmpty()) {
            return "another request of this process is asking for it right now";
        }
        Hold hold = holds.get(0);
        return "held by this process, " + settings.name() + " (owner "
                + hold.grant(0).owner() + ", " + hold.claimOn(key).mode() + ") for "
                + Duration.ofNanos(hold.heldNanos(runtime.now())).toMillis() + " ms";
    }

    private static String describe(LockSnapshot.Holder holder) {
        return "held by " + holder.label() + " (owner " + holder.owner() + ", " + holder.mode() + ") for "
                + holder.heldFor().toMillis() + " ms; its lease ends in "
                + holder.endsIn().toMillis() + " ms unless renewed";
    }

    StoreUnavailableException unavailable(Waiter waiter, @Nullable StoreException why) {
        return new StoreUnavailableException(
                "No lock on " + wanted(waiter) + " after " + waited(waiter)
                        + ": the store is not available, so the lock counts as taken. "
                        + (why == null ? runtime.storeName() + " has not answered yet" : why.getMessage()),
                why);
    }

    LockRefusedException refused(LockKey key, StoreException why) {
        return new LockRefusedException("The store refused \"" + key + "\": " + why.getMessage());
    }

    LockRefusedException full(LockKey key) {
        return new LockRefusedException(Protocol.MAX_WAITERS_PER_KEY + " requests of this process wait for \"" + key
                + "\" already: slow the callers down or split the key");
    }

    AlreadyHeldException heldByItsScope(Waiter waiter, LockKey key, EngineScope scope) {
        return new AlreadyHeldException(
                key,
                "\"" + key + "\" is held by " + scope + ", which also waited for it for " + waited(waiter)
                        + ": two requests of this scope asked for it at the same time, and waiting would never end."
                        + " Ask once, and pass the lease along");
    }

    DeadlockException deadlock(Waiter waiter, Deadlock deadlock) {
        Instant now = runtime.environment().wall();
        StringBuilder text = new StringBuilder("Deadlock: \"")
                .append(deadlock.victim().wanted())
                .append("\" would never be free, so this wait was given up after ")
                .append(waited(waiter))
                .append(" and the others go on. Release what is held and try again;"
                        + " take the keys in one request to prevent it. Each waits for the next one:");
        deadlock.waits().forEach(wait -> text.append("\n    ").append(wait.describe(now)));
        return new DeadlockException(text.toString(), deadlock.waits());
    }

    LockInterruptedException interrupted(Waiter waiter) {
        return new LockInterruptedException(
                "Interrupted after " + waited(waiter) + " while waiting for " + wanted(waiter) + "; nothing is held");
    }

    CancellationException cancelled(Waiter waiter) {
        return new CancellationException("Cancelled after " + waited(waiter) + " while waiting for " + wanted(waiter));
    }

    InterlockClosedException closed(Waiter waiter) {
        return new InterlockClosedException("Interlock was closed while waiting for " + wanted(waiter));
    }

    private String waited(Waiter waiter) {
        return Duration.ofNanos(runtime.now() - waiter.startedNanos).toMillis() + " ms";
    }

    private static String wanted(Waiter waiter) {
        String first = "\"" + waiter.claims.get(0).key() + "\"";
        return waiter.claims.size() == 1 ? first : first + " and " + (waiter.claims.size() - 1) + " more";
    }
}
