package dev.interlock.internal.runtime;

import dev.interlock.spi.Environment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The runtime of one Interlock: its clock, timetable, threads, store calls and log.
 *
 * <p>Threads: one for deadlines, which does no I/O; one lane for the calls that the engine itself makes; one each for
 * loss callbacks, asynchronous completions and events; two small pools for blocking drivers, one of them reserved for
 * renewals and releases. All are daemons, and their number does not depend on the number of locks.
 *
 * <p>Thread-safe.
 */
public final class EngineRuntime {
    /** Kinds of warnings that are remembered; further kinds are not logged. */
    private static final int MAX_WARNINGS = 1024;

    private final Environment environment;
    private final Parking parking;
    private final Timetable timetable;
    private final EngineThreads threads;
    private final StoreCalls calls;
    private final StepChain steps;
    private final String storeName;
    private final Duration answerWithin;
    private final System.Logger log = System.getLogger("dev.interlock");
    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long suspendedNanos;

    /**
     * @param storeName for messages
     * @param answerWithin how long the store has for one answer
     * @param afterEachRound called on the deadline thread after each round of due entries
     */
    public EngineRuntime(Environment environment, String storeName, Duration answerWithin, Runnable afterEachRound) {
        this.environment = environment;
        this.parking = Parking.of(environment);
        this.timetable = new Timetable(afterEachRound);
        this.threads = EngineThreads.of(environment);
        this.calls = new StoreCalls(environment, timetable, threads.lane(), storeName);
        this.steps = new StepChain(log);
        this.storeName = storeName;
        this.answerWithin = answerWithin;
    }

    /** Starts the deadline thread. */
    public void start() {
        environment.drive(timetable);
    }

    // ---- time ---------------------------------------------------------------------------------------------------

    public long now() {
        return environment.nanos();
    }

    /** How long the host has been suspended in all, as far as {@link #noticeSuspend} has noticed. */
    public long suspendedNanos() {
        return suspendedNanos;
    }

    public void noticeSuspend() {
        suspendedNanos = environment.noticeSuspend();
    }

    /** The pause, shortened or lengthened at random by up to a quarter. */
    public long jittered(long pauseNanos) {
        return (long) (pauseNanos * (0.75 + environment.random().nextDouble() / 2));
    }

    /** Runs a task on the lane after a pause. */
    public void later(long pauseNanos, Runnable task) {
        later(pauseNanos, threads.lane(), task);
    }

    /** Runs a task on the given executor after a pause. */
    public void later(long pauseNanos, Executor executor, Runnable task) {
        timetable.set(
                new Timetable.Entry() {
                    @Override
                    protected void ring(long nowNanos) {
                        executor.execute(task);
                    }
                },
                now() + pauseNanos);
    }

    // ---- threads and calls --------------------------------------------------------------------------------------

    /** Runs a step of another request when the current step is over, see {@link StepChain}. */
    public void inTurn(Runnable step) {
        steps.run(step);
    }

    /** For calls that the engine itself makes. */
    public Executor lane() {
        return threads.lane();
    }

    public EngineThreads threads() {
        return threads;
    }

    public StoreCalls calls() {
        return calls;
    }

    /** How long the store has for one answer. */
    public long answerNanos() {
        return answerWithin.toNanos();
    }

    // ---- the rest -----------------------------------------------------------------------------------------------

    /** Logs a warning the first time a problem of this kind occurs. */
    public void warnOnce(String kind, String message) {
        if (warned.size() < MAX_WARNINGS && warned.add(kind)) {
            log.log(System.Logger.Level.WARNING, message);
        }
    }

    public System.Logger log() {
        return log;
    }

    public boolean isClosed() {
        return closed.get();
    }

    /** Marks this runtime as closed; false if it was closed before. */
    public boolean markClosed() {
        return closed.compareAndSet(false, true);
    }

    public Environment environment() {
        return environment;
    }

    public Parking parking() {
        return parking;
    }

    public Timetable timetable() {
        return timetable;
    }

    public String storeName() {
        return storeName;
    }
}
