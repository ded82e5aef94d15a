package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.internal.deadlock.Row;
import dev.interlock.internal.deadlock.Suspicions;
import dev.interlock.internal.deadlock.Verdict;
import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.LeaderElection;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches for deadlocks on behalf of all processes, while this one leads: for waits of processes that do not search themselves.
 *
 * <p>What it finds it leaves as a {@link Verdict} beside the notes; the victim's process reads it at its next beat. If the monitor dies another one is elected, and two
 * that search at once choose the same victims.
 */
final class DeadlockMonitor implements LeaderElection.Listener {
    /** By what the monitor is elected; not among an application's lock types. */
    static final LockKey KEY = LockKey.of("interlock", "deadlock-monitor");

    /** How long the namespace is without a monitor when one dies. */
    private static final Duration LEASE = Duration.ofSeconds(5);

    private final Engine engine;
    private final Suspicions suspicions = new Suspicions();
    private volatile @Nullable Lease leadership;
    private volatile @Nullable LeaderElection election;

    DeadlockMonitor(Engine engine) {
        this.engine = engine;
    }

    void start() {
        DeadlockDetection detection = engine.settings().deadlocks();
        if (detection.isMonitoring() && engine.capabilities().waitNotes()) {
            LeaderElection campaign =
                    LeaderElection.over(engine.locks().with(KEY).leaseFor(LEASE), KEY, this);
            election = campaign;
            campaign.campaign();
        }
    }

    void stop() {
        LeaderElection campaign = election;
        election = null;
        if (campaign != null) {
            campaign.close();
        }
    }

    @Override
    public void onElected(Lease elected) {
        leadership = elected;
        lookLater(elected);
    }

    private void lookLater(Lease elected) {
        long pause = suspicions.isAny() ? EngineSettings.SUSPICIOUS_BEAT_NANOS : EngineSettings.WAIT_BEAT_NANOS;
        engine.later(pause, () -> {
            if (leadership == elected && elected.isHeld()) {
                exchange(WaitNotes.reading(), elected);
            }
        });
    }

    private void exchange(WaitNotes notes, Lease elected) {
        engine.calls()
                .<List<WaitNote>>aside(
                        () -> LongWaits.exchange(engine, notes),
                        engine.answerNanos(),
                        (answer, failure) -> engine.lane().execute(() -> {
                            List<WaitNote> verdicts = answer == null || !notes.read() ? List.of() : searched(answer);
                            if (verdicts.isEmpty()) {
                                lookLater(elected);
                            } else {
                                exchange(
                                        new WaitNotes(verdicts, List.of(), EngineSettings.WAIT_NOTES_KEPT, false),
                                        elected);
                            }
                        }));
    }

    /** A bug here must not end the search for good. */
    private List<WaitNote> searched(List<WaitNote> notes) {
        try {
            return search(notes);
        } catch (RuntimeException | Error bug) {
            engine.log().log(System.Logger.Level.ERROR, "The monitor could not look for deadlocks; trying again", bug);
            return List.of();
        }
    }

    private List<WaitNote> search(List<WaitNote> notes) {
        List<Row> rows = notes.stream().flatMap(note -> Row.read(note).stream()).toList();
        List<Deadlock> deadlocks = Deadlock.among(
                LongWaits.graph(rows, engine.surroundings().wall()).edges());
        return suspicions.confirmed(deadlocks, rows).stream()
                .map(deadlock -> Verdict.on(deadlock).note())
                .toList();
    }
}
