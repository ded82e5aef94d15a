package dev.interlock.testkit.workers;

import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.process.ChildProcess;
import dev.interlock.testkit.workers.CriticalSection.Outcome;
import dev.interlock.testkit.workers.CriticalSection.Point;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that acquires locks on command, and that can be paused and killed.
 *
 * <p>Commands throw {@link IllegalStateException} with the end of the worker's log if the worker does not answer in
 * time, fails or has ended. Pauses and kills are recorded in the history of the run once they have acted.
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class Worker {
    /** Far more than any command takes beyond its patience; it only ends tests that hang. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private static final long POLL_NANOS = 5_000_000;

    private final String name;
    private final int number;
    private final ChildProcess process;
    private final WorkerLine line;
    private final Path log;
    private final Recorder history;
    private final AtomicReference<@Nullable RecordedFault> pause = new AtomicReference<>();

    Worker(String name, int number, ChildProcess process, Path log, Recorder history) {
        this.name = name;
        this.number = number;
        this.process = process;
        this.log = log;
        this.history = history;
        line = new WorkerLine(name, process);
    }

    void awaitReady() {
        line.awaitReport("ready", ANSWER_WITHIN);
        history.clockBound(
                number,
                ClockCheck.bound(name, () -> request(WorkerMessage.of("clock")).number("nanos"), System::nanoTime));
    }

    /** Its name in the history. */
    public String name() {
        return name;
    }

    /** Its number in the history. */
    public int number() {
        return number;
    }

    /** The file with its events. */
    public Path log() {
        return log;
    }

    /** The id of its process. */
    public long pid() {
        return process.pid();
    }

    /** Whether the process exists; a paused process does. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Kills it with {@code kill -9} and waits until it is gone. A second call has no effect. */
    public void kill() {
        if (isAlive()) {
            RecordedFault fault = history.faultStarted("kill", number);
            end();
            fault.acted();
            fault.stopped();
            stopped(pause.getAndSet(null));
        }
    }

    /** Ends it after the test; not recorded as a fault. */
    void end() {
        process.kill();
    }

    /** Pauses it and returns when it is stopped. */
    public void pause() {
        RecordedFault fault = history.faultStarted("pause", number);
        process.pause();
        if (!isAlive()) {
            throw Children.failed(name + " has ended and cannot be paused.", process);
        }
        fault.acted();
        pause.set(fault);
    }

    /** Resumes it after a pause. */
    public void resume() {
        RecordedFault fault = pause.getAndSet(null);
        if (fault == null) {
            throw new IllegalStateException(name + " is not paused.");
        }
        process.resume();
        // Only now: the checker excuses delays until the worker is seen to run again.
        stopped(fault);
    }

    private static void stopped(@Nullable RecordedFault fault) {
        if (fault != null) {
            fault.stopped();
        }
    }

    /** Acquires a lock and holds it. */
    public Acquired acquire(WorkerRequest ask) {
        return line.await("acquire " + ask, acquireAsync(ask), ANSWER_WITHIN.plus(ask.waitAtMost()));
    }

    /** Starts to acquire a lock. The future fails if the worker ends before it answers. */
    public CompletableFuture<Acquired> acquireAsync(WorkerRequest ask) {
        return line.send(ask.writeTo(WorkerMessage.of("acquire"))).thenApply(answer -> acquired(ask, answer));
    }

    private static Acquired acquired(WorkerRequest ask, WorkerMessage answer) {
        if (answer.verb().equals("acquired")) {
            return new Acquired.Granted(new WorkerLease(answer.number("handle"), ask.key(), answer.number("token")));
        }
        return switch (Outcome.valueOf(answer.text("outcome"))) {
            case BUSY -> new Acquired.Busy();
            case UNAVAILABLE -> new Acquired.Unavailable(answer.text("why"));
            default -> new Acquired.Failed(answer.text("why"));
        };
    }

    /** Asks the lease whether it is held. */
    public boolean isHeld(WorkerLease lease) {
        return request(to("held", lease)).yes("held");
    }

    /** The loss of the lease that was reported to the worker; empty if none was. */
    public Optional<LossReason> lost(WorkerLease lease) {
        WorkerMessage answer = request(to("held", lease));
        return answer.has("lost") ? Optional.of(LossReason.valueOf(answer.text("lost"))) : Optional.empty();
    }

    /** Shows the lease's token to the resource. */
    public ResourceAnswer raise(WorkerLease lease) {
        return answer(request(to("raise", lease)));
    }

    /** Reads the key of the lease at the resource. */
    public ResourceAnswer read(WorkerLease lease) {
        return answer(request(to("read", lease)));
    }

    /** Writes to the resource with the lease's token, held or not. Values must be unique. */
    public ResourceAnswer write(WorkerLease lease, long base, long value) {
        return answer(request(to("write", lease).with("base", base).with("value", value)));
    }

    /** Releases the lease. */
    public ReleaseResult release(WorkerLease lease) {
        return line.await("release", releaseAsync(lease), ANSWER_WITHIN);
    }

    /** Starts to release the lease. */
    public CompletableFuture<ReleaseResult> releaseAsync(WorkerLease lease) {
        return line.send(to("release", lease)).thenApply(answer -> ReleaseResult.valueOf(answer.text("result")));
    }

    /** Starts a section. */
    public CompletableFuture<CriticalSection.Report> sectionAsync(CriticalSection section) {
        return line.send(section.writeTo(WorkerMessage.of("section"))).thenApply(CriticalSection.Report::readFrom);
    }

    /** Runs a section. */
    public CriticalSection.Report section(CriticalSection section) {
        return await(
                sectionAsync(section),
                ANSWER_WITHIN.plus(section.ask().waitAtMost()).plus(section.pause()));
    }

    /** Starts to acquire nested locks. */
    public CompletableFuture<NestedLocks.Report> nestAsync(NestedLocks nest) {
        return line.send(nest.writeTo(WorkerMessage.of("nest"))).thenApply(NestedLocks.Report::readFrom);
    }

    /**
     * Starts to nest these keys at random, two to four at a time, one nest after the other. The result is the message
     * that sums them up.
     */
    CompletableFuture<WorkerMessage> nestStormAsync(NestedLocks like, Duration length, long seed) {
        return line.send(like.writeTo(WorkerMessage.of("nest-storm"))
                .with("length", length)
                .with("seed", seed));
    }

    /** Waits for the result of a command to this worker. */
    public <T> T await(CompletableFuture<T> begun, Duration atMost) {
        return line.await("the command", begun, atMost);
    }

    /** Makes its sections stop at this point. */
    public void stopAt(Point point) {
        request(WorkerMessage.of("stop-at").with("point", point));
    }

    /** Waits until this many sections have stopped at this point. */
    public void awaitReached(Point point, int sections) {
        for (int i = 0; i < sections; i++) {
            WorkerMessage reached = line.awaitReport("reached", ANSWER_WITHIN);
            if (Point.valueOf(reached.text("point")) != point) {
                throw Children.failed(name + " reached " + reached.text("point") + " and not " + point + ".", process);
            }
        }
    }

    /**
     * Resumes all sections that have stopped at this point, and stops no further ones there. A paused worker does so
     * when it is resumed.
     */
    public void proceed(Point point) {
        // Not awaited: a paused worker answers when it is resumed.
        CompletableFuture<WorkerMessage> unused =
                line.send(WorkerMessage.of("proceed").with("point", point));
    }

    /** Starts a workload. Only one can run at a time. */
    public void run(Workload workload) {
        request(workload.writeTo(WorkerMessage.of("run")));
    }

    /**
     * Stops the workload, waits for the running sections to end, and returns what the worker has done since it started.
     */
    public Progress rest() {
        return Progress.readFrom(request(WorkerMessage.of("rest")));
    }

    /** What the worker has done since it started. */
    public Progress progress() {
        return Progress.readFrom(request(WorkerMessage.of("progress")));
    }

    /**
     * Waits until the worker was granted this many more locks. Call it before a fault, which proves nothing on an idle
     * worker.
     *
     * @return the grants per second in that time
     */
    public double awaitGrants(long more, Duration atMost) {
        long start = System.nanoTime();
        long before = progress().grants();
        while (true) {
            long granted = progress().grants() - before;
            long elapsed = System.nanoTime() - start;
            if (granted >= more) {
                return granted * 1e9 / elapsed;
            }
            if (elapsed > atMost.toNanos()) {
                throw Children.failed(
                        name + " was granted " + granted + " locks in " + atMost + ", not " + more + ".", process);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /**
     * Closes the worker's Interlock, without a workload, and returns how many leases that released. The process
     * continues.
     */
    public int closeInterlock() {
        return request(WorkerMessage.of("close")).count("released");
    }

    /** The last lines of the worker's error log. */
    public String errors() {
        return process.logTail(40);
    }

    private WorkerMessage request(WorkerMessage command) {
        return line.await(command.verb(), line.send(command), ANSWER_WITHIN);
    }

    private static WorkerMessage to(String verb, WorkerLease lease) {
        return WorkerMessage.of(verb).with("handle", lease.handle());
    }

    private static ResourceAnswer answer(WorkerMessage answer) {
        return new ResourceAnswer(answer.yes("accepted"), answer.number("value"), answer.number("fence"));
    }

    @Override
    public String toString() {
        return name + " (pid " + pid() + ")";
    }
}
