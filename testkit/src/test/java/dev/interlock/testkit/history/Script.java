package dev.interlock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A history written by hand: two processes, a harness and a resource, on a clock in milliseconds that the test sets.
 */
final class Script {
    static final long LEASE = 100;
    static final Expectations LENIENT = Expectations.strict().load(0);

    final EventLog resourceLog;
    final Recorder one = recorder(1, "one");
    final Recorder two = recorder(2, "two");
    final Recorder harness = recorder(3, "harness");
    final ResourceRecorder resource;
    private final List<EventLog> logs = new ArrayList<>(List.of(one.log(), two.log(), harness.log()));
    private final Set<String> keys = new LinkedHashSet<>();
    private long now;

    Script() {
        this(EventLog.Role.FENCED_RESOURCE);
    }

    Script(EventLog.Role role) {
        resourceLog = EventLog.inMemory(new EventLog.Writer(4, "resource", role), 1000);
        resource = new ResourceRecorder(resourceLog, this::now);
        logs.add(resourceLog);
    }

    long now() {
        return nanos(now);
    }

    static long nanos(long millis) {
        return millis * 1_000_000;
    }

    Script at(long millis) {
        now = millis;
        return this;
    }

    /** Records an exclusive request at this moment. */
    RecordedAttempt asks(Recorder process, String owner, String key) {
        keys.add(key);
        return process.acquire(key, Recorder.hash(owner), nanos(LEASE));
    }

    /** Records an exclusive grant, requested just before, with a whole lease from now on. */
    RecordedAttempt holds(Recorder process, String owner, String key, long token) {
        RecordedAttempt attempt = asks(process, owner, key);
        now++;
        attempt.granted(token, now() + nanos(LEASE));
        return attempt;
    }

    /** The resource after a restart: another process with another log. */
    ResourceRecorder restartedResource() {
        EventLog.Writer writer =
                new EventLog.Writer(5, "restarted", resourceLog.writer().role());
        EventLog log = EventLog.inMemory(writer, 1000);
        // Before the other logs: the order in which logs are read must not matter.
        logs.add(0, log);
        return new ResourceRecorder(log, this::now);
    }

    History history() {
        return History.of(logs.toArray(new EventLog[0]));
    }

    /** Checks the history, with all keys free at the end. */
    Verdict check() {
        return check(LENIENT);
    }

    Verdict check(Expectations expected) {
        at(now + 10_000);
        keys.forEach(harness::freeAtRest);
        return new HistoryChecker(expected).check(history());
    }

    static void assertBroken(Verdict verdict, Invariant invariant) {
        assertThat(verdict.violations()).as(verdict.page()).isNotEmpty();
        assertThat(verdict.violations()).extracting(Violation::invariant).containsOnly(invariant);
        assertThat(verdict.outcome()).isEqualTo(Verdict.Outcome.VIOLATED);
    }

    static void assertClean(Verdict verdict) {
        assertThat(verdict.outcome()).as(verdict.page()).isEqualTo(Verdict.Outcome.CLEAN);
    }

    private Recorder recorder(int number, String name) {
        return new Recorder(EventLog.inMemory(EventLog.Writer.client(number, name), 1000), this::now);
    }
}
