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
 * A small world for one test: a process under test, others beside it, a store in memory, time that the test moves, and
 * scripts for what goes wrong. Long, because it is the one list of what a test can let happen.
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
 * <p><b>Scripts</b> may be called from anywhere: before the code under test, from a stub that it calls while it holds a
 * lock, or at their own moment by {@link #after} and {@link #afterGrant}.
 *
 * <p><b>Time</b> moves only by {@link #advance} and by scripts that say so, with one exception: when the test's thread
 * waits for a lock, time moves on by itself, from one moment at which something is due to the next, until the wait is
 * over. So code that blocks is called like any other and needs neither a second thread nor a sleep. Threads of
 * {@link #start(Callable)} take turns, and time stands while one of them runs. Code that starts threads by itself gets no
 * such promise; while the test's thread waits for them, time moves on for them too.
 *
 * <p><b>The end.</b> After the test everything is closed. The test fails if the process under test still holds a lease
 * that nobody closed, if a script failed, or if something {@linkplain Started started} failed and nobody asked.
 *
 * <p>Registered by a field of the instance, so that each test has its own; {@link InterlockExtension} gives one as a
 * parameter instead. Without JUnit, close it.
 */
public final class InterlockWorld implements BeforeEachCallback, AfterEachCallback, AutoCloseable {
    /** What a store can tell a holder; other reasons come from elsewhere, and other scripts bring them about. */
    private static final Set<LossReason> TOLD_BY_STORES =
            EnumSet.of(LossReason.EXPIRED, LossReason.REPLACED, LossReason.FORCED, LossReason.SESSION_LOST);

    private final WorldTime time = new WorldTime();
    private final FakeClock clock = time.clock;
    private final Scripts scripts = time.scripts;
    private final Map<Long, LossReason> taken = new ConcurrentHashMap<>();
    private final Map<LockKey, Queue<Runnable>> afterGrants = new ConcurrentHashMap<>();
    private final Map<String, WorldProcess> others = new ConcurrentHashMap<>();
    private final Queue<Started<?>> started = new ConcurrentLinkedQueue<>();
    private final List<LockEvent.Lost> losses = new CopyOnWriteArrayList<>();
    private final GrantPlaces places = new GrantPlaces();
    private final AtomicInteger rivals = new AtomicInteger();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final WorldProcess.Ground ground;
    private final WorldProcess underTest;
    private final WorldProcess watcher;
    private volatile boolean heldLeasesAllowed;

    /** A world whose processes have the default settings. */
    public InterlockWorld() {
        this(builder -> {});
    }

    /**
     * A world with settings.
     *
     * @param options sets what all its processes have in common, for example the lock order or a shorter lease; name and
     *     surroundings are set by the world
     */
    public InterlockWorld(Consumer<Interlock.Builder> options) {
        Objects.requireNonNull(options, "options is null: leave it out for the defaults");
        ground = new WorldProcess.Ground(clock, InMemoryBackend.create(clock::worldNanos, 1), time, taken, options);
        underTest = new WorldProcess("under-test", ground, this::heard);
        watcher = new WorldProcess("watcher", ground, event -> {});
    }

    // ---- who and when -------------------------------------------------------------------------------------------

    /** The process under test: what to give to the code under test. */
    public Interlock interlock() {
        return underTest.interlock;
    }

    /** The locks of the process under test. */
    public Locks locks() {
        return underTest.interlock.locks();
    }

    /**
     * Another process over the same store, opened at the first call with this name. Scripts about lines and pauses do not
     * touch it, and what it still holds at the end does not fail the test.
     */
    public Interlock another(String name) {
        checkOpen();
        Objects.requireNonNull(name, "name is null: give the process one");
        return others.computeIfAbsent(name, this::open).interlock;
    }

    private WorldProcess open(String name) {
        return new WorldProcess(name, ground, this::heardElsewhere);
    }

    /** The clock of all processes; moving it is the same as {@link #advance}. */
    public FakeClock clock() {
        return clock;
    }

    /** What the store has for this key now; empty if nobody holds it or waits for it. */
    public Optional<LockSnapshot> inspect(LockKey key) {
        return watcher.interlock.operator().inspect(key);
    }

    /**
     * Moves time on; whatever is due on the way happens at its moment. Returns once every started thread that was woken has
     * ended or waits again.
     *
     * @param by how far; zero lets happen what is due now
     */
    public void advance(Duration by) {
        checkOpen();
        clock.advance(by);
    }

    // ---- script points ------------------------------------------------------------------------------------------

    /** Runs a script once, when so much time has passed. */
    public void after(Duration delay, Runnable script) {
        checkOpen();
        Objects.requireNonNull(script, "script is null: give what is to happen");
        scripts.at(Math.addExact(clock.nanos(), FakeClock.checked(delay).toNanos()), script);
    }

    /**
     * Runs a script once, when the process under test has been granted this key the next time, before its code goes on. So
     * something goes wrong in the middle of code that cannot be changed. Given twice, the second one is for the grant
     * after the next.
     */
    public void afterGrant(LockKey key, Runnable script) {
        checkOpen();
        Objects.requireNonNull(key, "key is null: give the key to watch");
        Objects.requireNonNull(script, "script is null: give what is to happen");
        afterGrants
                .computeIfAbsent(key, unused -> new ConcurrentLinkedQueue<>())
                .add(script);
    }

    // ---- scripts: the lock --------------------------------------------------------------------------------------

    /**
     * Somebody else holds this key, until the lease is closed.
     *
     * @throws IllegalStateException if it is not free
     */
    public Lease busy(LockKey key) {
        checkOpen();
        return rival("somebody").locks().tryAcquire(key).orElseThrow(() -> notFree(key));
    }

    /** Somebody else holds this key for so long. */
    public Lease busy(LockKey key, Duration length) {
        FakeClock.checked(length);
        Lease held = busy(key);
        after(length, held::close);
        return held;
    }

    /**
     * The store takes the lock away and gives it to another process, at once. The former holder, if there is one, is not told:
     * it goes on believing in its lease until its next renewal, as after a failover that forgot the lock. Time stands
     * still.
     *
     * @return the new lease, with a larger token
     * @throws IllegalStateException if somebody waits for the key, who would get it first
     */
    public Lease takeOver(LockKey key) {
        checkOpen();
        Optional<LockSnapshot> now = inspect(key);
        if (now.isPresent() && now.get().waiters() > 0) {
            throw new IllegalStateException(
                    "\"" + key + "\" cannot be taken over: " + now.get().waiters()
                            + " processes wait for it and would get it first. Use lose to hand it to the first of them");
        }
        now.ifPresent(held -> takeAway(held, LossReason.REPLACED));
        return rival("rival").locks().tryAcquire(key).orElseThrow(() -> notFree(key));
    }

    /** The holder loses the lock by force, as {@link #lose(LockKey, LossReason)} says. */
    public void lose(LockKey key) {
        lose(key, LossReason.FORCED);
    }

    /**
     * The store takes the lock away for this reason, and its holder is told. A store tells only who asks, so time moves on
     * to the holder's next renewal; without renewals, or if it cannot reach the store, to the end of its lease, which is
     * then the reason. Who waits for the key gets it.
     *
     * @param reason one that a store can give: EXPIRED, REPLACED, FORCED or SESSION_LOST
     * @throws IllegalStateException if nobody holds the key
     */
    public void lose(LockKey key, LossReason reason) {
        checkOpen();
        if (!TOLD_BY_STORES.contains(reason)) {
            throw new IllegalArgumentException("A store never says " + reason + ": choose one of " + TOLD_BY_STORES
                    + ", or script what leads to it");
        }
        LockSnapshot held = inspect(key)
                .filter(lock -> !lock.holders().isEmpty())
                .orElseThrow(() -> new IllegalStateException("Nobody holds \"" + key + "\", so nobody can lose it"));
        long toldBefore = timesLost(key);
        long latest = clock.nanos()
                + held.holders().stream()
                        .mapToLong(holder -> holder.endsIn().toNanos())
                        .max()
                        .orElse(0);
        takeAway(held, reason);
        while (timesLost(key) - toldBefore < held.holders().size() && clock.step(latest)) {
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
                + inspect(key).map(Object::toString).orElse("nobody holds it now")
                + ". Use takeOver to take it away from its holder");
    }

    // ---- scripts: the process -----------------------------------------------------------------------------------

    /** The process under test stands still, as {@link #pause(Interlock, Duration)} says. */
    public void pause(Duration length) {
        pause(underTest.interlock, length);
    }

    /**
     * A process stands still while the world goes on: a long garbage collection, a debugger, SIGSTOP. Its renewals, re-checks
     * and callbacks do not run and pushes do not reach it; {@code System.nanoTime} goes on. When it wakes, the code that
     * was stopped goes on first: it is told of a loss at its first step with the lease, or when time moves on. Called by
     * the code under test itself, or a stub of it, it is that code which is stopped; code on other threads is not.
     */
    public void pause(Interlock process, Duration length) {
        stand(process, length, ProcessTime::stop);
    }

    /**
     * The host of the process under test is suspended, like a laptop or a virtual machine: as a pause, and
     * {@code System.nanoTime} stands still as well until Interlock notices.
     */
    public void suspend(Duration length) {
        stand(underTest.interlock, length, ProcessTime::sleep);
    }

    /**
     * A process stops for good and gives nothing back: its locks end by their leases. What its code does from now on means
     * nothing.
     */
    public void crash(Interlock process) {
        checkOpen();
        processOf(process).time.stop();
    }

    private void stand(Interlock process, Duration length, Consumer<ProcessTime> how) {
        checkOpen();
        FakeClock.checked(length);
        ProcessTime stopped = processOf(process).time;
        how.accept(stopped);
        try {
            clock.advance(length);
        } finally {
            stopped.goOn();
        }
    }

    private WorldProcess processOf(Interlock interlock) {
        return processes()
                .filter(process -> process.interlock == interlock)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "This Interlock is not of this world: take interlock() or one of another(name)"));
    }

    private Stream<WorldProcess> processes() {
        return Stream.concat(Stream.of(underTest, watcher), others.values().stream());
    }

    // ---- scripts: the store -------------------------------------------------------------------------------------

    /** From now on the process under test cannot reach the store, until {@link #heal()}. Others can. */
    public void outage(Outage kind) {
        checkOpen();
        underTest.line.cut(kind);
    }

    /**
     * From now on and for so long the process under test cannot reach the store. Returns at once: the time passes while the
     * test advances or the code under test waits.
     */
    public void outage(Outage kind, Duration length) {
        FakeClock.checked(length);
        outage(kind);
        after(length, this::heal);
    }

    /**
     * The process under test reaches the store again. If many requests had failed, Interlock leaves the store alone for up to
     * 5 s more before it tries a new acquisition, as it would in earnest; renewals go on at once.
     */
    public void heal() {
        underTest.line.mend();
    }

    // ---- threads ------------------------------------------------------------------------------------------------

    /**
     * Runs code on a thread of its own and returns when it has ended or waits for a lock. Time stands meanwhile. Threads
     * started like this run one at a time; of several that are ready the first one started goes first. They must not wait for each other by
     * other means than locks.
     */
    public <T extends @Nullable Object> Started<T> start(Callable<T> code) {
        checkOpen();
        Objects.requireNonNull(code, "code is null: give what to run");
        Started<T> call = new Started<>(time, code);
        started.add(call);
        time.turns.start("started-" + started.size(), call.code());
        time.settle();
        return call;
    }

    /** Like {@link #start(Callable)}, for code that gives nothing. */
    public Started<@Nullable Void> start(Runnable code) {
        Objects.requireNonNull(code, "code is null: give what to run");
        return start(() -> {
            code.run();
            return null;
        });
    }

    // ---- what is heard ------------------------------------------------------------------------------------------

    private void heard(LockEvent event) {
        heardElsewhere(event);
        if (event instanceof LockEvent.Granted granted) {
            places.note(granted);
            granted.keys().forEach(this::runAfterGrant);
        }
    }

    private void heardElsewhere(LockEvent event) {
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

    /** Lets the test end with leases held by the process under test, for tests that are about just that. */
    public InterlockWorld allowHeldLeases() {
        heldLeasesAllowed = true;
        return this;
    }

    /** Called by JUnit; refuses a world that another test has used. */
    @Override
    public void beforeEach(ExtensionContext context) {
        checkOpen();
        time.testRunsHere();
    }

    /** Called by JUnit; closes the world, and lets the test fail as {@link #close()} says unless it has failed already. */
    @Override
    public void afterEach(ExtensionContext context) {
        try {
            close();
        } catch (AssertionError wrong) {
            Throwable failed = context.getExecutionException().orElseThrow(() -> wrong);
            failed.addSuppressed(wrong);
        }
    }

    /**
     * Closes all processes. A second call does nothing.
     *
     * @throws AssertionError if the process under test still holds a lease that nobody closed, if a script failed, or if
     *     something {@linkplain #start(Callable) started} failed and nobody asked
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        List<Throwable> unheard = started.stream()
                .map(Started::unheardFailure)
                .filter(Objects::nonNull)
                .map(Throwable.class::cast)
                .toList();
        processes().forEach(WorldProcess::recover);
        // What is overdue comes first: a lease that is over is not held.
        clock.advance(Duration.ZERO);
        ShutdownReport report = underTest.interlock.shutdown(Duration.ofSeconds(1));
        processes().forEach(process -> process.interlock.close());
        time.settle();
        complain(report, unheard);
    }

    private void complain(ShutdownReport report, List<Throwable> unheard) {
        List<Throwable> causes = new ArrayList<>(scripts.failures());
        List<String> complaints = new ArrayList<>();
        causes.forEach(failed -> complaints.add("A script failed: " + failed));
        unheard.forEach(failed -> complaints.add("What was started failed and nobody asked: " + failed));
        causes.addAll(unheard);
        if (!heldLeasesAllowed) {
            Stream.concat(report.released().stream(), report.unreleased().stream())
                    .map(key -> "The test has ended, and the process \"" + underTest.name + "\" still holds \"" + key
                            + "\"" + places.of(key) + ". Close each lease, best by try-with-resources;"
                            + " if it is meant to be held, say allowHeldLeases()")
                    .forEach(complaints::add);
        }
        if (!complaints.isEmpty()) {
            AssertionError wrong = new AssertionError(String.join(System.lineSeparator(), complaints));
            causes.forEach(wrong::addSuppressed);
            throw wrong;
        }
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException(
                    "This world is closed: it serves one test. Keep it in a field that is not static,"
                            + " without @TestInstance(PER_CLASS), or take it as a parameter by InterlockExtension");
        }
    }
}
