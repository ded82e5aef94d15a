package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.internal.deadlock.Row;
import dev.interlock.internal.deadlock.Suspicions;
import dev.interlock.internal.deadlock.Verdict;
import dev.interlock.internal.time.Timetable;
import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.WaitForGraph;
import dev.interlock.lock.WaitForGraph.Edge;
import dev.interlock.lock.WaitForGraph.Held;
import dev.interlock.lock.WaitForGraph.Wait;
import dev.interlock.spi.Claim;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The waits of this process that have lasted: describes them to all processes, reads what those have described, and ends a wait of its own that is the victim of a
 * confirmed cycle.
 *
 * <p>Asleep while nobody waits. Rings when a wait becomes long, and then at every beat; a beat is one call to the store and the next begins when that is answered, which
 * is what {@link Suspicions} relies on. Everything but {@link #begun} and {@link #own} happens on the lane.
 */
final class LongWaits extends Timetable.Entry {
    private final Engine engine;
    private final DeadlockDetection detection;
    private final long afterNanos;
    private final AtomicBoolean awake = new AtomicBoolean();
    private final Map<Waiter, LongWait> known = new LinkedHashMap<>();
    private final List<String> over = new ArrayList<>();
    private final Suspicions suspicions = new Suspicions();
    private long ids;

    /** When it was last looked, and what that took: with ten thousand waits, which become long one by one, a look at each moment would keep a core busy. */
    private long lookedNanos;

    private Instant lookedWall = Instant.EPOCH;

    private long lookTook;

    private long readNanos;
    private boolean hasRead;

    /** How many that hold nothing are described at present. */
    private int bare;

    /** Whether anybody has been seen to wait for, or because of, a shared lock. */
    private boolean sharedInUse;

    private final String process;

    private volatile List<WaitNote> own = List.of();

    LongWaits(Engine engine) {
        this.engine = engine;
        this.detection = engine.settings().deadlocks();
        this.afterNanos = detection.after().toNanos();
        this.process = engine.settings().process();
    }

    /** A request that has begun at this moment was laid down to wait, for the first time or again. */
    void begun(long patienceNanos, long startedNanos) {
        if (patienceNanos > afterNanos && detection.isOn() && !awake.get() && awake.compareAndSet(false, true)) {
            engine.timetable().set(this, Math.max(engine.now(), startedNanos + afterNanos));
        }
    }

    /** What is said about waits of this process at present. */
    List<WaitNote> own() {
        return own;
    }

    @Override
    protected void ring(long nowNanos) {
        engine.lane().execute(() -> {
            try {
                look();
            } catch (RuntimeException | Error bug) {
                failed(bug);
            }
        });
    }

    /** A bug here must not end the search for good: those who wait for each other would do so until their patience is over. */
    private void failed(Throwable bug) {
        engine.log().log(System.Logger.Level.ERROR, "Could not look for deadlocks; trying again", bug);
        goOn(engine.now() + EngineSettings.BARE_WAIT_NANOS);
    }

    // ---- describing ---------------------------------------------------------------------------------------------

    private void look() {
        if (engine.isClosed()) {
            return;
        }
        long now = engine.now();
        lookedNanos = now;
        lookedWall = engine.surroundings().wall();
        Set<Waiter> waiting = waiting();
        long becomesLong = noteLong(waiting, now);
        List<Row> rows = describe(now);
        boolean holding = known.values().stream().anyMatch(one -> one.holds);
        List<String> removed = List.copyOf(over.subList(0, Math.min(over.size(), EngineSettings.WAIT_NOTES)));
        lookTook = engine.now() - now;
        if (!rows.isEmpty() || !removed.isEmpty()) {
            List<WaitNote> written = rows.stream().map(this::noted).toList();
            exchange(
                    new WaitNotes(written, removed, EngineSettings.WAIT_NOTES_KEPT, holding || isToRead(now)),
                    becomesLong);
        } else {
            goOn(becomesLong);
        }
    }

    private WaitNote noted(Row row) {
        WaitNote note = row.note();
        LongWait one = find(note.id());
        if (one != null) {
            one.note = note;
        }
        return note;
    }

    private boolean isToRead(long now) {
        return !hasRead || now - readNanos >= EngineSettings.READ_AT_LEAST_NANOS;
    }

    private Set<Waiter> waiting() {
        Set<Waiter> waiting = new LinkedHashSet<>();
        engine.gates().all().forEach(gate -> gate.addWaiters(waiting));
        waiting.removeIf(waiter -> waiter.isSettled() || waiter.terms().waitAtMostNanos() <= afterNanos);
        return waiting;
    }

    /** Notes the waits that have become long, and when the next one will. */
    private long noteLong(Set<Waiter> waiting, long now) {
        long next = Long.MAX_VALUE;
        for (Waiter waiter : waiting) {
            long due = waiter.startedNanos() + afterNanos;
            if (due > now) {
                next = Math.min(next, due);
            } else if (!known.containsKey(waiter)) {
                known.put(waiter, know(waiter));
            }
        }
        return next;
    }

    private LongWait know(Waiter waiter) {
        EngineScope scope = waiter.scope();
        String id = newId();
        return new LongWait(waiter, scope == null ? id : engine.publicId() + "-scope" + scope.number(), id);
    }

    private String newId() {
        return engine.publicId() + "-" + ++ids;
    }

    /** What there is to say now; those who hold something come first, in case it is too much, and of the others those who have waited longest. */
    private List<Row> describe(long now) {
        List<LongWait> first = new ArrayList<>();
        List<LongWait> then = new ArrayList<>();
        for (Iterator<LongWait> all = known.values().iterator(); all.hasNext(); ) {
            LongWait one = all.next();
            if (one.waiter.isSettled()) {
                forget(one);
                all.remove();
            } else {
                one.holds |= mayHold(one, now);
                (one.holds ? first : then).add(one);
            }
        }
        first.sort(Comparator.<LongWait, Instant>comparing(one -> one.since).thenComparing(one -> one.id));
        List<Row> rows = new ArrayList<>();
        bare = 0;
        describe(first, now, rows);
        describe(then, now, rows);
        return rows;
    }

    private void describe(List<LongWait> some, long now, List<Row> rows) {
        for (LongWait one : some) {
            if (rows.size() == EngineSettings.WAIT_NOTES) {
                return;
            }
            Row row = describe(one, now);
            if (row != null) {
                rows.add(row);
            }
        }
    }

    /** Whether it is among those who come first, though it may not have been described yet. */
    private static boolean mayHold(LongWait one, long now) {
        EngineScope scope = one.waiter.scope();
        return scope != null && !scope.isEmpty() && !scope.rights(now).isEmpty();
    }

    /** Whether readers may wait behind it: then it can be on a cycle, though it holds nothing. */
    private boolean holdsReadersUp(LongWait one, Claim claim) {
        sharedInUse |= claim.mode() == LockMode.SHARED || one.waiter.isBehindReaders();
        return sharedInUse && claim.mode() == LockMode.EXCLUSIVE;
    }

    private void forget(LongWait one) {
        if (one.mentioned) {
            over.add(one.id);
        }
    }

    /** Null if there is nothing to say: somebody works on the request right now, or it holds nothing and was mentioned lately or is one of too many. */
    private @Nullable Row describe(LongWait one, long now) {
        Waiter.Standing standing = one.waiter.standing();
        if (standing == null) {
            return null;
        }
        if (!one.isStill(standing)) {
            renameIfMentioned(one);
            one.at = standing.at();
            one.cameNanos = standing.sinceNanos();
            one.since = lookedWall.minusNanos(now - one.cameNanos);
        }
        EngineScope scope = one.waiter.scope();
        Claim claim = one.waiter.claims().get(standing.at());
        if (scope != null && scope.holding(claim.key()) != null) {
            one.waiter.giveUpForOwn(claim.key(), scope);
            return null;
        }
        List<Held> held = new ArrayList<>(scope == null ? List.of() : scope.rights(now));
        Hold collected = standing.collected();
        if (collected != null && collected.isValid(now)) {
            collected.keys().forEach(key -> held.add(collected.rightOn(key)));
        }
        // Asked of all, also of those who hold something: a reader among them says that there are readers.
        boolean readersWait = holdsReadersUp(one, claim);
        one.holds = readersWait || !held.isEmpty() || !standing.entered().isEmpty();
        if (!one.holds && isLeftOut(one, now)) {
            return null;
        }
        one.mentioned = true;
        one.mentionedNanos = now;
        Wait wait = new Wait(
                one.id,
                process,
                one.scopeId,
                scope == null ? "an asynchronous request" : scope.name(),
                claim.key(),
                claim.mode(),
                one.since,
                held,
                standing.entered());
        return new Row(wait, ++one.version);
    }

    private boolean isLeftOut(LongWait one, long now) {
        if (!one.mentioned && bare == EngineSettings.BARE_WAIT_NOTES) {
            return true;
        }
        bare++;
        return one.mentioned && now - one.mentionedNanos < EngineSettings.BARE_WAIT_NANOS;
    }

    /** Another wait from now on: what was said about the former one confirms nothing about this. */
    private void renameIfMentioned(LongWait one) {
        if (one.mentioned) {
            over.add(one.id);
            one.id = newId();
            one.mentioned = false;
            one.note = null;
        }
    }

    // ---- exchanging ---------------------------------------------------------------------------------------------

    private void exchange(WaitNotes notes, long becomesLong) {
        own = known.values().stream()
                .flatMap(one -> Stream.ofNullable(one.note))
                .toList();
        long sent = engine.now();
        engine.calls().<List<WaitNote>>aside(() -> exchange(engine, notes), engine.answerNanos(), (answer, failure) -> {
            if (failure != null && failure.kind() == StoreException.Kind.REFUSED) {
                engine.warnOnce(
                        "deadlock detection", "Deadlocks with other processes are not found: " + failure.getMessage());
            }
            engine.lane().execute(() -> answered(notes, isFresh(sent) ? answer : null, becomesLong));
        });
    }

    /** A process that stood still may read what was true long ago: who waited for whom then may have gone on. */
    private boolean isFresh(long sentNanos) {
        return engine.now() - sentNanos <= engine.answerNanos();
    }

    private void answered(WaitNotes notes, @Nullable List<WaitNote> answer, long becomesLong) {
        try {
            if (answer == null) {
                unanswered();
            } else {
                over.subList(0, notes.removed().size()).clear();
                if (notes.read()) {
                    hasRead = true;
                    readNanos = engine.now();
                    act(answer);
                    lookTook += engine.now() - readNanos;
                }
            }
            goOn(becomesLong);
        } catch (RuntimeException | Error bug) {
            failed(bug);
        }
    }

    /** Through the store, if it keeps notes; else this process is alone with its own. */
    static CompletionStage<List<WaitNote>> exchange(Engine engine, WaitNotes notes) {
        return engine.capabilities().waitNotes()
                ? engine.store().exchange(notes)
                : CompletableFuture.completedFuture(
                        notes.read() ? engine.longWaits().own() : List.of());
    }

    /** What was written may still arrive, after the next one: under other names it can confirm nothing. */
    private void unanswered() {
        known.values().forEach(this::renameIfMentioned);
        if (known.isEmpty() || over.size() > EngineSettings.WAIT_NOTES) {
            over.clear(); // they end by themselves
        }
    }

    private void act(List<WaitNote> notes) {
        List<Row> rows = notes.stream().flatMap(note -> Row.read(note).stream()).toList();
        List<Edge> edges = graph(rows, engine.surroundings().wall()).edges();
        if (detection.isSearching()) {
            suspicions.confirmed(Deadlock.among(edges), rows).forEach(this::giveUp);
        }
        for (WaitNote note : notes) {
            Optional<Verdict> verdict = Verdict.read(note).filter(found -> find(found.victim()) != null);
            verdict.flatMap(found -> found.among(edges)).ifPresent(this::giveUp);
        }
    }

    static WaitForGraph graph(List<Row> rows, Instant takenAt) {
        return new WaitForGraph(
                takenAt,
                rows.stream()
                        .map(Row::described)
                        .sorted(Comparator.comparing(Wait::since).thenComparing(Wait::id))
                        .toList());
    }

    private void giveUp(Deadlock deadlock) {
        LongWait victim = find(deadlock.victim().id());
        Waiter.Standing standing = victim == null ? null : victim.waiter.standing();
        // Not if it has got its key since then and waits for the next one. Between this look and the end it may still
        // move, as any wait that ends may.
        if (victim != null && standing != null && victim.isStill(standing)) {
            victim.waiter.giveUpFor(deadlock);
        }
    }

    private @Nullable LongWait find(String id) {
        return known.values().stream()
                .filter(one -> one.id.equals(id))
                .findFirst()
                .orElse(null);
    }

    /** Sleeps until there is something to do again. */
    private void goOn(long becomesLong) {
        long next = becomesLong;
        if (!known.isEmpty() || !over.isEmpty()) {
            boolean holding = known.values().stream().anyMatch(one -> one.holds);
            long beat = suspicions.isAny()
                    ? EngineSettings.SUSPICIOUS_BEAT_NANOS
                    : holding || !over.isEmpty() ? EngineSettings.WAIT_BEAT_NANOS : EngineSettings.BARE_WAIT_NANOS;
            // Not later than a wait can become long that begins now; if there is nothing to say then, nothing is sent.
            next = Math.min(next, engine.now() + Math.min(beat, Math.max(afterNanos, EngineSettings.WAIT_BEAT_NANOS)));
        }
        if (next == Long.MAX_VALUE) {
            awake.set(false);
            // Somebody may have begun to wait, and seen that this was awake still.
            next = waiting().isEmpty() || !awake.compareAndSet(false, true)
                    ? Long.MAX_VALUE
                    : engine.now() + afterNanos;
        }
        if (next != Long.MAX_VALUE) {
            engine.timetable().set(this, Math.max(next, lookedNanos + apart()));
        }
    }

    /** Bounded: a process that stood still during a look is not to sleep for many times as long. */
    private long apart() {
        long wanted = Math.max(EngineSettings.LEAST_BEAT_NANOS, lookTook * EngineSettings.LOOKS_APART);
        return Math.min(wanted, EngineSettings.BARE_WAIT_NANOS);
    }
}
