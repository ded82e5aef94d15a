package dev.interlock.testkit;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.Locks;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ShutdownReport;
import dev.interlock.memory.InMemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A simulated environment for one test: a process under test, other processes, an in-memory store, time that the test
 * controls, and scripts for failures. This class is long because it is the complete list of what a test can script.
 *
 * <pre>{@code
 * class StockServiceTest {
 *     @RegisterExtension
 *     final InterlockWorld world = new InterlockWorld();
 *
 *     private final StockService service = new StockService(world.locks());
 * }
 * }</pre>
 *
 * <p><b>Scripts</b> can be called from anywhere: before the code under test runs, from a stub that it calls while it
 * holds a lock, or at a scheduled moment through {@link #after} and {@link #afterGrant}.
 *
 * <p><b>Time</b> moves only through {@link #advance} and through scripts that say so, with one exception. While the
 * test's thread waits for a lock, time moves by itself, from one moment at which something is due to the next, until
 * the wait is over. So the test can call blocking code directly, without a second thread or a sleep. Threads started by
 * {@link #start(Callable)} take turns, and time stands still while one of them runs. Threads that the code under test
 * starts itself have no such guarantee: while the test's thread waits for them, time moves for them as well.
 *
 * <p><b>The end.</b> After the test the world closes everything. The test fails if the process under test still holds a
 * lease, if a script failed, or if a {@linkplain StartedCall started call} failed and the test did not ask for its
 * result.
 *
 * <p>Register the world in an instance field, so that each test has its own, or let {@link InterlockExtension} provide
 * it as a parameter. Without JUnit, close it yourself.
 *
 * @since 0.1.0
 */
public final class InterlockWorld implements BeforeEachCallback, AfterEachCallback, AutoCloseable {
    /** The reasons that a store can report. Other reasons come from elsewhere, and other scripts cause them. */
    private static final Set<LossReason> STORE_REASONS =
            EnumSet.of(LossReason.EXPIRED, LossReason.REPLACED, LossReason.FORCED, LossReason.SESSION_LOST);

    private final WorldTime time = new WorldTime();
    private final FakeClock clock = time.clock;
    private final Scripts scripts = time.scripts;
    private final Map<Long, LossReason> taken = new ConcurrentHashMap<>();
    private final Map<LockKey, Queue<Runnable>> afterGrants = new ConcurrentHashMap<>();
    private final Map<String, WorldProcess> others = new ConcurrentHashMap<>();
    private final Queue<StartedCall<?>> started = new ConcurrentLinkedQueue<>();
    private final List<LockEvent.Lost> losses = new CopyOnWriteArrayList<>();
    private final AcquireCallSites sites = new AcquireCallSites();
    private final AtomicInteger rivals = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final WorldProcess.SharedParts shared;
    private final WorldProcess underTest;
    private final WorldProcess watcher;
    private volatile boolean heldLeasesAllowed;

    /** Creates a world whose processes have the default settings. */
    public InterlockWorld() {
        this(builder -> {});
    }

    /**
     * Creates a world with settings.
     *
     * @param options configures what all processes have in common, for example the lock order or a shorter lease. The
     *     world sets the name and the environment.
     */
    public InterlockWorld(Consumer<Interlock.Builder> options) {
        Objects.requireNonNull(options, "options is null: leave it out for the defaults");
        shared =
                new WorldProcess.SharedParts(clock, InMemoryBackend.create(clock::worldNanos, 1), time, taken, options);
        underTest = new WorldProcess("under-test", shared, this::onEventUnderTest);
        watcher = new WorldProcess("watcher", shared, event -> {});
    }

    // ---- processes and time -------------------------------------------------------------------------------------

    /** Returns the process under test. Pass it to the code under test. */
    public Interlock interlock() {
        return underTest.interlock;
    }

    /** Returns the locks of the process under test. */
    public Locks locks() {
        return underTest.interlock.locks();
    }

    /**
     * Returns another process on the same store. The first call with a name opens the process. Outages and pauses of
     * the process under test do not affect it, and leases that it holds at the end do not fail the test.
     */
    public Interlock another(String name) {
        checkOpen();
        Objects.requireNonNull(name, "name is null: pass a name for the process");
        return others.computeIfAbsent(name, this::open).interlock;
    }

    private WorldProcess open(String name) {
        return new WorldProcess(name, shared, this::onEvent);
    }

    /** Returns the clock of all processes. Moving it has the same effect as {@link #advance}. */
    public FakeClock clock() {
        return clock;
    }

    /** Returns what the store has for this key now, or empty if the key has no holder and no waiter. */
    public Optional<LockSnapshot> inspect(LockKey key) {
        return watcher.interlock.operator().inspect(key);
    }

    /**
     * Moves time on. Everything that is due on the way happens at its own moment. Returns once every started thread
     * that was woken has ended or waits again.
     *
     * @param by how far; zero runs what is due now
     */
    public void advance(Duration by) {
        checkOpen();
        clock.advance(by);
    }

    // ---- when scripts run ---------------------------------------------------------------------------------------

    /** Runs a script once, after this delay. */
    public void after(Duration delay, Runnable script) {
        checkOpen();
        Objects.requireNonNull(script, "script is null: pass the code to run");
        scripts.at(Math.addExact(clock.nanos(), FakeClock.checked(delay).toNanos()), script);
    }

    /**
     * Runs a script once, after the next grant of this key to the process under test and before its code continues. Use
     * it to make something fail in the middle of code that cannot be changed. A second script for the same key runs
     * after the second grant.
     */
    public void afterGrant(LockKey key, Runnable script) {
        checkOpen();
        Objects.requireNonNull(key, "key is null: pass the key to watch");
        Objects.requireNonNull(script, "script is null: pass the code to run");
        afterGrants
                .computeIfAbsent(key, unused -> new ConcurrentLinkedQueue<>())
                .add(script);
    }

    // ---- scripts: the lock --------------------------------------------------------------------------------------

    /**
     * Makes another process hold this key until the returned lease is closed.
     *
     * @throws IllegalStateException if the key is not free
     */
    public Lease busy(LockKey key) {
        checkOpen();
        return rival("other").locks().tryAcquire(key).orElseThrow(() -> notFree(key));
    }

    /** Makes another process hold this key for this time. */
    public Lease busy(LockKey key, Duration length) {
        FakeClock.checked(length);
        Lease held = busy(key);
        after(length, held::close);
        return held;
    }

    /**
     * The store takes the lock away and gives it to another process at once. A former holder is not notified: it relies
     * on its lease until its next renewal, as after a failover that lost the lock. Time does not move.
     *
     * @return the new lease, with a larger token
     * @throws IllegalStateException if the key has waiters, which would get it first
     */
    public Lease takeOver(LockKey key) {
        checkOpen();
        Optional<LockSnapshot> now = inspect(key);
        if (now.isPresent() && now.get().waiters() > 0) {
            throw new IllegalStateException(
                    "\"" + key + "\" cannot be taken over: " + now.get().waiters()
                            + " processes wait for it and would get it first. Use lose to hand it to the first waiter");
        }
        now.ifPresent(held -> takeAway(held, LossReason.REPLACED));
        return rival("rival").locks().tryAcquire(key).orElseThrow(() -> notFree(key));
    }

    /** The holder loses the lock by force, as {@link #lose(LockKey, LossReason)} describes. */
    public void lose(LockKey key) {
        lose(key, LossReason.FORCED);
    }

    /**
     * The store takes the lock away for this reason, and the holder is notified. A store reports a loss only in an
     * answer, so time moves on to the holder's next renewal. Without renewals, or if the holder cannot reach the store,
     * time moves on to the end of its lease, and the reason is then EXPIRED. A waiter for the key gets it.
     *
     * @param reason one that a store can report: EXPIRED, REPLACED, FORCED or SESSION_LOST
     * @throws IllegalStateException if the key has no holder
     */
    public void lose(LockKey key, LossReason reason) {
        checkOpen();
        if (!STORE_REASONS.contains(reason)) {
            throw new IllegalArgumentException(
                    "A store never reports " + reason + ": choose one of " + STORE_REASONS + ", or script its cause");
        }
        LockSnapshot held = inspect(key)
                .filter(lock -> !lock.holders().isEmpty())
                .orElseThrow(() -> new IllegalStateException("No process holds \"" + key + "\", so it cannot be lost"));
        long lossesBefore = timesLost(key);
        long latest = clock.nanos()
                + held.holders().stream()
                        .mapToLong(holder -> holder.endsIn().toNanos())
                        .max()
                        .orElse(0);
        takeAway(held, reason);
        while (timesLost(key) - lossesBefore < held.holders().size() && clock.step(latest)) {
            time.settle();
        }
    }

    private void takeAway(LockSnapshot held, LossReason reason) {
        held.holders().forEach(holder -> taken.put(holder.grant(), reason));
        watcher.interlock.operator().forceRelease(held.key());
    }

    private long timesLost(LockKey key) {
        return losses.stream().filter(lost -> lost.keys().contains(key)).count();
    }

    private Interlock rival(String name) {
        return another(name + "-" + rivals.incrementAndGet());
    }

    private IllegalStateException notFree(LockKey key) {
        return new IllegalStateException("\"" + key + "\" is not free: "
                + inspect(key).map(Object::toString).orElse("it has no holder now")
                + ". Use takeOver to take it away from its holder");
    }

    // ---- scripts: the process -----------------------------------------------------------------------------------

    /** Pauses the process under test, as {@link #pause(Interlock, Duration)} describes. */
    public void pause(Duration length) {
        pause(underTest.interlock, length);
    }

    /**
     * Pauses a process while the world continues, like a long garbage collection, a debugger or SIGSTOP. Its renewals,
     * re-checks and callbacks do not run, and pushes do not reach it. {@code System.nanoTime} continues. When the pause
     * ends, the stopped code continues first. It learns of a loss when it next uses the lease, or when time moves on.
     * If the code under test or one of its stubs calls this method, that code is stopped; code on other threads is not.
     */
    public void pause(Interlock process, Duration length) {
        stopFor(process, length, ProcessTime::stop);
    }

    /**
     * Suspends the host of the process under test, like a laptop or a virtual machine. The effect is that of a pause,
     * and {@code System.nanoTime} also stands still until Interlock notices the suspension.
     */
    public void suspend(Duration length) {
        stopFor(underTest.interlock, length, ProcessTime::suspend);
    }

    /**
     * Stops a process for good. It releases nothing, so its locks end with their leases. Whatever its code does from
     * now on has no meaning.
     */
    public void crash(Interlock process) {
        checkOpen();
        processOf(process).time.stop();
    }

    private void stopFor(Interlock process, Duration length, Consumer<ProcessTime> how) {
        checkOpen();
        FakeClock.checked(length);
        ProcessTime stopped = processOf(process).time;
        how.accept(stopped);
        try {
            clock.advance(length);
        } finally {
            stopped.resume();
        }
    }

    private WorldProcess processOf(Interlock interlock) {
        return processes()
                .filter(process -> process.interlock == interlock)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "This Interlock does not belong to this world: use interlock() or another(name)"));
    }

    private Stream<WorldProcess> processes() {
        return Stream.concat(Stream.of(underTest, watcher), others.values().stream());
    }

    // ---- scripts: the store -------------------------------------------------------------------------------------

    /** From now on the process under test cannot reach the store, until {@link #heal()}. Other processes can. */
    public void outage(Outage kind) {
        checkOpen();
        underTest.connection.cut(kind);
    }

    /**
     * From now on and for this time the process under test cannot reach the store. Returns at once: the time passes
     * while the test advances the clock or the code under test waits.
     */
    public void outage(Outage kind, Duration length) {
        FakeClock.checked(length);
        outage(kind);
        after(length, this::heal);
    }

    /**
     * Lets the process under test reach the store again. If many requests had failed, the circuit breaker stays open
     * for up to 5 s before Interlock tries a new acquisition, as in production. Renewals resume at once.
     */
    public void heal() {
        underTest.connection.restore();
    }

    // ---- threads ------------------------------------------------------------------------------------------------

    /**
     * Runs code on its own thread and returns when the code has ended or waits for a lock. Time does not move until
     * then. Threads started by this method run one at a time. If several are ready, the one that was started first runs
     * first. They must not wait for each other except through locks.
     */
    public <T extends @Nullable Object> StartedCall<T> start(Callable<T> code) {
        checkOpen();
        Objects.requireNonNull(code, "code is null: pass the code to run");
        StartedCall<T> call = new StartedCall<>(time, code);
        started.add(call);
        time.turns.start("started-" + started.size(), call.code());
        time.settle();
        return call;
    }

    /** Like {@link #start(Callable)}, for code without a result. */
    public StartedCall<@Nullable Void> start(Runnable code) {
        Objects.requireNonNull(code, "code is null: pass the code to run");
        return start(() -> {
            code.run();
            return null;
        });
    }

    // ---- events -------------------------------------------------------------------------------------------------

    private void onEventUnderTest(LockEvent event) {
        onEvent(event);
        if (event instanceof LockEvent.Granted granted) {
            sites.record(granted);
            granted.keys().forEach(this::runAfterGrant);
        }
    }

    private void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            losses.add(lost);
        }
    }

    private void runAfterGrant(LockKey key) {
        Queue<Runnable> waiting = afterGrants.get(key);
        Runnable script = waiting == null ? null : waiting.poll();
        if (script != null) {
            scripts.run(script);
        }
    }

    // ---- the end ------------------------------------------------------------------------------------------------

    /** Allows the process under test to hold leases at the end of the test. */
    public InterlockWorld allowHeldLeases() {
        heldLeasesAllowed = true;
        return this;
    }

    /** Called by JUnit. Refuses a world that another test has used. */
    @Override
    public void beforeEach(ExtensionContext context) {
        checkOpen();
        time.setTestThread();
    }

    /**
     * Called by JUnit. Closes the world. If the test has not failed already, it fails as {@link #close()} describes.
     */
    @Override
    public void afterEach(ExtensionContext context) {
        try {
            close();
        } catch (AssertionError failure) {
            Throwable failed = context.getExecutionException().orElseThrow(() -> failure);
            failed.addSuppressed(failure);
        }
    }

    /**
     * Closes all processes. A second call does nothing.
     *
     * @throws AssertionError if the process under test still holds a lease, if a script failed, or if a
     * {@linkplain     #start(Callable) started call} failed and the test did not ask for its result
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        List<Throwable> unreported = started.stream()
                .map(StartedCall::unreportedFailure)
                .filter(Objects::nonNull)
                .map(Throwable.class::cast)
                .toList();
        processes().forEach(WorldProcess::recover);
        // Ring the alarms that are due first: an expired lease is not held.
        clock.advance(Duration.ZERO);
        ShutdownReport report = underTest.interlock.shutdown(Duration.ofSeconds(1));
        processes().forEach(process -> process.interlock.close());
        time.settle();
        failIfNeeded(report, unreported);
    }

    private void failIfNeeded(ShutdownReport report, List<Throwable> unreported) {
        List<Throwable> causes = new ArrayList<>(scripts.failures());
        List<String> problems = new ArrayList<>();
        causes.forEach(failed -> problems.add("A script failed: " + failed));
        unreported.forEach(
                failed -> problems.add("A started call failed, and the test did not ask for its result: " + failed));
        causes.addAll(unreported);
        if (!heldLeasesAllowed) {
            Stream.concat(report.released().stream(), report.unreleased().stream())
                    .map(key -> "The test has ended, and the process \"" + underTest.name + "\" still holds \"" + key
                            + "\"" + sites.of(key) + ". Close each lease, preferably with try-with-resources."
                            + " If the test means to hold it, call allowHeldLeases()")
                    .forEach(problems::add);
        }
        if (!problems.isEmpty()) {
            AssertionError failure = new AssertionError(String.join(System.lineSeparator(), problems));
            causes.forEach(failure::addSuppressed);
            throw failure;
        }
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("This world is closed: it serves one test. Keep it in an instance field,"
                    + " without @TestInstance(PER_CLASS), or declare it as a parameter with InterlockExtension");
        }
    }
}
