package dev.interlock.testkit.workers;

import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.process.ChildProcess;
import dev.interlock.testkit.workers.Section.Outcome;
import dev.interlock.testkit.workers.Section.Point;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that takes locks as it is told, and that can be paused and killed.
 *
 * <p>Commands throw {@link IllegalStateException} with the end of the worker's log if it does not answer in time, fails or has
 * ended. Pauses and kills are written into the history of the run, and only count once they were seen to act.
 *
 * <p>Thread-safe.
 */
public final class Worker {
    /** Far more than any command takes beyond the patience it was given; it only ends tests that hang. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private static final long POLL_NANOS = 5_000_000;

    private final String name;
    private final int number;
    private final ChildProcess process;
    private final WorkerLine line;
    private final Path log;
    private final Recorder history;
    private final AtomicReference<@Nullable Fault> pause = new AtomicReference<>();

    Worker(String name, int number, ChildProcess process, Path log, Recorder history) {
        this.name = name;
        this.number = number;
        this.process = process;
        this.log = log;
        this.history = history;
        line = new WorkerLine(name, process);
    }

    void awaitReady() {
        line.awaitTold("ready", ANSWER_WITHIN);
        history.clockBound(
                number, ClockCheck.bound(name, () -> say(Message.of("clock")).number("nanos"), System::nanoTime));
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

    /** Whether the process exists; one that is paused does. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it at once, as {@code kill -9} does, and waits until it is gone. A second call does nothing. */
    public void kill() {
        if (isAlive()) {
            Fault fault = history.faultStarted("kill", number);
            end();
            fault.acted();
            fault.stopped();
            stopped(pause.getAndSet(null));
        }
    }

    /** Ends it when the test is over; no fault. */
    void end() {
        process.kill();
    }

    /** Stops it in its tracks; returns once it stands still. */
    public void pause() {
        Fault fault = history.faultStarted("pause", number);
        process.pause();
        if (!isAlive()) {
            throw Children.failed(name + " has ended and cannot be paused.", process);
        }
        fault.acted();
        pause.set(fault);
    }

    /** Lets it go on after a pause. */
    public void resume() {
        Fault fault = pause.getAndSet(null);
        if (fault == null) {
            throw new IllegalStateException(name + " is not paused.");
        }
        process.resume();
        // Only now: until it is seen to go on, standing still is its excuse for everything.
        stopped(fault);
    }

    private static void stopped(@Nullable Fault fault) {
        if (fault != null) {
            fault.stopped();
        }
    }

    /** Takes a lock and keeps it. */
    public Acquired acquire(Ask ask) {
        return line.await("acquire " + ask, acquireAsync(ask), ANSWER_WITHIN.plus(ask.waitAtMost()));
    }

    /** Begins to take a lock. The future fails if the worker ends before it answers. */
    public CompletableFuture<Acquired> acquireAsync(Ask ask) {
        return line.send(ask.writeTo(Message.of("acquire"))).thenApply(answer -> acquired(ask, answer));
    }

    private static Acquired acquired(Ask ask, Message answer) {
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
        return say(to("held", lease)).yes("held");
    }

    /** What the worker was told about the loss of the lease, so far; empty if nothing. */
    public Optional<LossReason> lost(WorkerLease lease) {
        Message answer = say(to("held", lease));
        return answer.has("lost") ? Optional.of(LossReason.valueOf(answer.text("lost"))) : Optional.empty();
    }

    /** Shows the lease's token to the resource. */
    public ResourceAnswer raise(WorkerLease lease) {
        return answer(say(to("raise", lease)));
    }

    /** Reads the key of the lease at the resource. */
    public ResourceAnswer read(WorkerLease lease) {
        return answer(say(to("read", lease)));
    }

    /** Writes to the resource with the lease's token, held or not. Values must be unique. */
    public ResourceAnswer write(WorkerLease lease, long base, long value) {
        return answer(say(to("write", lease).with("base", base).with("value", value)));
    }

    /** Gives the lease back. */
    public ReleaseResult release(WorkerLease lease) {
        return line.await("release", releaseAsync(lease), ANSWER_WITHIN);
    }

    /** Begins to give the lease back. */
    public CompletableFuture<ReleaseResult> releaseAsync(WorkerLease lease) {
        return line.send(to("release", lease)).thenApply(answer -> ReleaseResult.valueOf(answer.text("result")));
    }

    /** Begins a section. */
    public CompletableFuture<Section.Report> sectionAsync(Section section) {
        return line.send(section.writeTo(Message.of("section"))).thenApply(Section.Report::readFrom);
    }

    /** Runs a section. */
    public Section.Report section(Section section) {
        return await(
                sectionAsync(section),
                ANSWER_WITHIN.plus(section.ask().waitAtMost()).plus(section.dawdle()));
    }

    /** Begins to take locks one inside the other. */
    public CompletableFuture<Nest.Report> nestAsync(Nest nest) {
        return line.send(nest.writeTo(Message.of("nest"))).thenApply(Nest.Report::readFrom);
    }

    /** Begins to nest these keys at random, two to four at a time, one nest after the other; answers the message that sums them up. */
    CompletableFuture<Message> nestStormAsync(Nest like, Duration length, long seed) {
        return line.send(
                like.writeTo(Message.of("nest-storm")).with("length", length).with("seed", seed));
    }

    /** Waits for something that this worker was told to begin. */
    public <T> T await(CompletableFuture<T> begun, Duration atMost) {
        return line.await("what was begun", begun, atMost);
    }

    /** From now on its sections stop at this point. */
    public void stopAt(Point point) {
        say(Message.of("stop-at").with("point", point));
    }

    /** Waits until so many sections have stopped at this point. */
    public void awaitReached(Point point, int sections) {
        for (int i = 0; i < sections; i++) {
            Message reached = line.awaitTold("reached", ANSWER_WITHIN);
            if (Point.valueOf(reached.text("point")) != point) {
                throw Children.failed(name + " reached " + reached.text("point") + " and not " + point + ".", process);
            }
        }
    }

    /** Lets everything go on that has stopped at this point, and nothing stop there any more. A paused worker does so when it goes on. */
    public void proceed(Point point) {
        // Not awaited: a paused worker answers when it goes on.
        CompletableFuture<Message> unused = line.send(Message.of("proceed").with("point", point));
    }

    /** Starts a workload; one at a time. */
    public void run(Workload workload) {
        say(workload.writeTo(Message.of("run")));
    }

    /** Stops the workload, lets the sections under way end, and says what it came to since the worker started. */
    public Progress rest() {
        return Progress.readFrom(say(Message.of("rest")));
    }

    /** What the worker has done since it started. */
    public Progress progress() {
        return Progress.readFrom(say(Message.of("progress")));
    }

    /**
     * Waits until the worker was granted so many more locks: the gate before a fault, which proves nothing on an idle worker.
     *
     * @return the grants per second meanwhile
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

    /** Closes the worker's Interlock, without a workload, and says how many leases that released; the process goes on. */
    public int closeInterlock() {
        return say(Message.of("close")).count("released");
    }

    /** The last lines that the worker wrote to its log of errors. */
    public String errors() {
        return process.logTail(40);
    }

    private Message say(Message command) {
        return line.await(command.verb(), line.send(command), ANSWER_WITHIN);
    }

    private static Message to(String verb, WorkerLease lease) {
        return Message.of(verb).with("handle", lease.handle());
    }

    private static ResourceAnswer answer(Message answer) {
        return new ResourceAnswer(answer.yes("accepted"), answer.number("value"), answer.number("fence"));
    }

    @Override
    public String toString() {
        return name + " (pid " + pid() + ")";
    }
}
