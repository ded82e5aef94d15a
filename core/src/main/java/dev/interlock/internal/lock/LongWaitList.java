package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.ReportedWait;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.WaitForGraph.Held;
import dev.interlock.lock.WaitForGraph.Wait;
import dev.interlock.spi.Claim;
import dev.interlock.spi.WaitReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The long waits of this process, and how they are described to other processes.
 *
 * <p>A wait gets a new id when it moves on or when a report was not answered: what was reported under the old id
 * confirms nothing about the new wait. Used on the lane only.
 */
final class LongWaitList {
    private final String publicId;
    private final String process;
    private final Map<Waiter, LongWait> waits = new LinkedHashMap<>();

    /** Ids of reports that the store must remove. */
    private final List<String> obsolete = new ArrayList<>();

    private long ids;

    /** How many harmless waits are reported at present. */
    private int harmless;

    /** Whether a wait for, or because of, a shared lock has been seen. */
    private boolean sharedInUse;

    LongWaitList(String publicId, String process) {
        this.publicId = publicId;
        this.process = process;
    }

    boolean isEmpty() {
        return waits.isEmpty();
    }

    boolean mayBlockOthers() {
        return waits.values().stream().anyMatch(wait -> wait.mayBlockOthers);
    }

    boolean hasObsolete() {
        return !obsolete.isEmpty();
    }

    /** Ids of reports to remove, at most one batch. */
    List<String> obsolete() {
        return List.copyOf(obsolete.subList(0, Math.min(obsolete.size(), Protocol.MAX_REPORTS)));
    }

    /** The store has removed the first reports. */
    void removed(int count) {
        obsolete.subList(0, count).clear();
    }

    /** Adds the waits that have become long, and returns when the next one will. */
    long addLong(Set<Waiter> waiting, long afterNanos, long now) {
        long next = Long.MAX_VALUE;
        for (Waiter waiter : waiting) {
            long due = waiter.startedNanos + afterNanos;
            if (due > now) {
                next = Math.min(next, due);
            } else if (!waits.containsKey(waiter)) {
                EngineScope scope = waiter.scope();
                String id = newId();
                waits.put(waiter, new LongWait(waiter, scope == null ? id : publicId + "-scope" + scope.number(), id));
            }
        }
        return next;
    }

    private String newId() {
        return publicId + "-" + ++ids;
    }

    /**
     * The reports to write now. Waits that hold something come first, then the longest waits, in case there are too
     * many.
     */
    List<ReportedWait> describe(long now, Instant wall) {
        List<LongWait> first = new ArrayList<>();
        List<LongWait> then = new ArrayList<>();
        for (Iterator<LongWait> all = waits.values().iterator(); all.hasNext(); ) {
            LongWait wait = all.next();
            if (wait.waiter.isSettled()) {
                if (wait.reported) {
                    obsolete.add(wait.id);
                }
                all.remove();
            } else {
                wait.mayBlockOthers |= holdsSomething(wait, now);
                (wait.mayBlockOthers ? first : then).add(wait);
            }
        }
        first.sort(Comparator.<LongWait, Instant>comparing(wait -> wait.since).thenComparing(wait -> wait.id));
        List<ReportedWait> described = new ArrayList<>();
        harmless = 0;
        describe(first, now, wall, described);
        describe(then, now, wall, described);
        return described;
    }

    private void describe(List<LongWait> some, long now, Instant wall, List<ReportedWait> described) {
        for (LongWait wait : some) {
            if (described.size() == Protocol.MAX_REPORTS) {
                return;
            }
            ReportedWait one = describe(wait, now, wall);
            if (one != null) {
                described.add(one);
            }
        }
    }

    private static boolean holdsSomething(LongWait wait, long now) {
        EngineScope scope = wait.waiter.scope();
        return scope != null && !scope.isEmpty() && !scope.heldWithTokens(now).isEmpty();
    }

    /**
     * Null if there is nothing to report: a thread works on the request, or it is harmless and was reported lately or
     * is one of too many.
     */
    private @Nullable ReportedWait describe(LongWait wait, long now, Instant wall) {
        Waiter.Standing standing = wait.waiter.standing();
        if (standing == null) {
            return null;
        }
        if (!wait.isStill(standing)) {
            renameIfReported(wait);
            wait.at = standing.at();
            wait.reachedNanos = standing.sinceNanos();
            wait.since = wall.minusNanos(now - wait.reachedNanos);
        }
        EngineScope scope = wait.waiter.scope();
        Claim claim = wait.waiter.claims.get(standing.at());
        if (scope != null && scope.holding(claim.key()) != null) {
            wait.waiter.giveUpForOwn(claim.key(), scope);
            return null;
        }
        List<Held> held = new ArrayList<>(scope == null ? List.of() : scope.heldWithTokens(now));
        Hold collected = standing.collected();
        if (collected != null && collected.isValid(now)) {
            collected.keys().forEach(key -> held.add(collected.heldOn(key)));
        }
        // Evaluated for every wait, also for one that holds something: a reader among them shows that there are
        // readers.
        boolean readersWait = readersMayWaitBehind(wait, claim);
        wait.mayBlockOthers =
                readersWait || !held.isEmpty() || !standing.entered().isEmpty();
        if (!wait.mayBlockOthers && isLeftOut(wait, now)) {
            return null;
        }
        wait.reported = true;
        wait.reportedNanos = now;
        Wait description = new Wait(
                wait.id,
                process,
                wait.scopeId,
                scope == null ? "an asynchronous request" : scope.name(),
                claim.key(),
                claim.mode(),
                wait.since,
                held,
                standing.entered());
        return new ReportedWait(description, ++wait.version);
    }

    /** Whether readers may wait behind it: then it can be on a cycle although it holds nothing. */
    private boolean readersMayWaitBehind(LongWait wait, Claim claim) {
        sharedInUse |= claim.mode() == LockMode.SHARED || wait.waiter.isBehindReaders();
        return sharedInUse && claim.mode() == LockMode.EXCLUSIVE;
    }

    private boolean isLeftOut(LongWait wait, long now) {
        if (!wait.reported && harmless == Protocol.MAX_HARMLESS_REPORTS) {
            return true;
        }
        harmless++;
        return wait.reported && now - wait.reportedNanos < Protocol.HARMLESS_REPORT_NANOS;
    }

    private void renameIfReported(LongWait wait) {
        if (wait.reported) {
            obsolete.add(wait.id);
            wait.id = newId();
            wait.reported = false;
            wait.report = null;
        }
    }

    /** Remembers the report of each of these waits. */
    List<WaitReport> reports(List<ReportedWait> described) {
        List<WaitReport> reports = new ArrayList<>(described.size());
        for (ReportedWait one : described) {
            WaitReport report = one.report();
            LongWait wait = find(report.id());
            if (wait != null) {
                wait.report = report;
            }
            reports.add(report);
        }
        return reports;
    }

    /** The last report of each wait. */
    List<WaitReport> lastReports() {
        return waits.values().stream()
                .flatMap(wait -> Stream.ofNullable(wait.report))
                .toList();
    }

    /** A report was not answered. It may still reach the store, after the next one. */
    void unanswered() {
        waits.values().forEach(this::renameIfReported);
        if (waits.isEmpty() || obsolete.size() > Protocol.MAX_REPORTS) {
            obsolete.clear(); // these reports expire
        }
    }

    @Nullable
    LongWait find(String id) {
        return waits.values().stream()
                .filter(wait -> wait.id.equals(id))
                .findFirst()
                .orElse(null);
    }
}
