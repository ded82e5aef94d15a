package dev.interlock.internal.lock;

import dev.interlock.internal.time.Parking;
import dev.interlock.internal.time.Timetable;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockOperator;
import dev.interlock.lock.LockType;
import dev.interlock.lock.Locks;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.lock.ShutdownReport;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Claim;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.Surroundings;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Everything that one Interlock has running, and the steps that involve more than one part of it.
 *
 * <p>Threads: one for deadlines, which does no I/O; one lane for what the engine itself sends; one each for loss callbacks, for
 * asynchronous completions and for events; and for blocking drivers two small pools, of which one is reserved for renewals and releases. All of them daemons,
 * however many locks are held.
 */
public final class Engine {
    /** So many kinds of warnings are told apart; further ones are not logged. */
    private static final int MOST_WARNINGS = 1024;

    private final Surroundings surroundings;
    private final Parking parking;
    private final EngineSettings settings;
    private final Backend backend;
    private final StoreCapabilities capabilities;
    private final Runnable closeSurroundings;
    private final Timetable timetable;
    private final Executor lane;
    private final Executor callbacks;
    private final Executor completions;
    private final StoreCalls calls;
    private final Gates gates;
    private final Watchdog watchdog;
    private final Releases releases;
    private final Places places;
    private final Events events;
    private final LeakGuard leaks;
    private final LockStore store;
    private final Lending lending = new Lending();
    private final Membership membership;
    private final OrderLearner orderLearner;
    private final LongWaits longWaits;
    private final DeadlockMonitor monitor;
    private final EngineLocks locks;
    private final System.Logger log = System.getLogger("dev.interlock");

    private final String incarnation;
    private final String publicId;
    private final AtomicLong attempts = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();

    @SuppressWarnings("ThreadLocalUsage") // one per engine on purpose: two engines in one thread have two chains
    private final ThreadLocal<ArrayDeque<Runnable>> steps = new ThreadLocal<>();

    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private volatile long suspendedNanos;
    private final Shutdown shutdown;

    private Engine(Backend backend, EngineSettings settings, Surroundings surroundings, Runnable closeSurroundings) {
        this.surroundings = surroundings;
        this.parking = Parking.of(surroundings);
        this.settings = settings;
        this.backend = backend;
        this.capabilities = backend.capabilities();
        this.closeSurroundings = closeSurroundings;
        byte[] bits = new byte[16];
        surroundings.random().nextBytes(bits);
        this.incarnation = HexFormat.of().formatHex(bits);
        this.publicId = digest(bits);
        this.lane = surroundings.serial("interlock-watchdog");
        this.callbacks = surroundings.serial("interlock-callbacks");
        this.completions = surroundings.serial("interlock-completions");
        this.watchdog = new Watchdog(this);
        this.timetable = new Timetable(watchdog::flush);
        this.calls = new StoreCalls(surroundings, timetable, lane, backend.name());
        this.gates = new Gates(settings.strictFifo());
        this.releases = new Releases(this);
        this.places = new Places(this);
        this.events = new Events(this, settings.listeners(), surroundings.serial("interlock-events"));
        this.leaks = new LeakGuard(this, settings.leakTracing());
        this.shutdown = new Shutdown(this);
        this.orderLearner = new OrderLearner(this);
        this.longWaits = new LongWaits(this);
        this.locks = new EngineLocks(this);
        this.monitor = new DeadlockMonitor(this);
        this.store = backend.openLocks(new Context(
                places,
                surroundings,
                surroundings.pool("interlock-store", 8),
                surroundings.pool("interlock-store-urgent", 4),
                lending));
        this.membership = new Membership(this, NamespaceTerms.ranksOf(settings.order()));
    }

    private static String digest(byte[] secret) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(secret), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }

    private record Context(
            StoreListener listener, Surroundings surroundings, Executor ordinary, Executor urgent, Lending lending)
            implements StoreContext {
        @Override
        public Duration takeThread() {
            return lending.take();
        }
    }

    /** Opens the store and agrees with it on protocol and order. */
    public static Engine open(
            Backend backend, EngineSettings settings, Surroundings surroundings, Runnable closeSurroundings) {
        settings.order().types().forEach(type -> Terms.resolve(type.settings(), settings.defaults()));
        Engine engine = new Engine(backend, settings, surroundings, closeSurroundings);
        surroundings.drive(engine.timetable);
        try {
            engine.membership.joinNow(settings.answerWithin());
        } catch (RuntimeException refused) {
            engine.shutdown(Duration.ZERO);
            throw refused;
        }
        engine.monitor.start();
        return engine;
    }

    public Locks locks() {
        return locks;
    }

    public LockOperator operator() {
        return new StoreOperator(this);
    }

    public ShutdownReport shutdown(Duration budget) {
        monitor.stop();
        return shutdown.run(budget);
    }

    // ---- gates --------------------------------------------------------------------------------------------------

    /** Lets the next in line go on, if the gate is free for it; a gate that nobody needs is given up. */
    void turn(Gate gate) {
        Waiter next = gate.turn();
        if (next != null) {
            proceed(next::goOn);
        } else {
            gates.retireIfIdle(gate);
        }
    }

    /** A key was granted; where several can hold together, the next in line may ask. */
    void gateWon(Claim claim, Waiter waiter, Hold hold) {
        Gate gate = gates.require(claim.key());
        gate.won(waiter, hold);
        if (claim.mode() != LockMode.EXCLUSIVE) {
            turn(gate);
        }
    }

    /** A request that was parked at this key's gate leaves it. */
    void leaveGate(Waiter waiter, LockKey key) {
        Gate gate = gates.find(key);
        if (gate == null) {
            return;
        }
        Gate.Departure left = gate.leave(waiter);
        if (left.abandoned() != null) {
            places.abandon(left.abandoned());
        }
        if (left.inherited() != null) {
            left.inherited().recheckIn(0);
        }
        Hold stranded = gate.takeStranded();
        if (stranded != null) {
            giveUp(stranded);
        }
        turn(gate);
    }

    /**
     * Runs a step of somebody else's request, after the current one is over: a chain of requests that fail one after the other
     * must not become a chain of calls.
     */
    void proceed(Runnable step) {
        ArrayDeque<Runnable> waiting = steps.get();
        if (waiting != null) {
            waiting.add(step);
            return;
        }
        waiting = new ArrayDeque<>();
        steps.set(waiting);
        try {
            for (Runnable next = step; next != null; next = waiting.poll()) {
                try {
                    next.run();
                } catch (RuntimeException bug) {
                    log.log(System.Logger.Level.ERROR, "A waiting request could not go on", bug);
                }
            }
        } finally {
            steps.remove();
        }
    }

    // ---- holds --------------------------------------------------------------------------------------------------

    /** A hold is over without having been released: tells its holders first, then lets the next in line go on. */
    void lost(Hold hold) {
        LossReason reason = hold.lossReason();
        for (LeaseRef ref : hold.leases()) {
            HeldRight lease = ref.get();
            if (lease != null) {
                lease.lost(reason);
            }
            if (ref.scope != null) {
                ref.scope.remove(hold);
            }
        }
        boolean someoneHeldIt = !hold.leases().isEmpty();
        lane.execute(() -> {
            if (someoneHeldIt) {
                log.log(System.Logger.Level.WARNING, "The lease on {0} is lost: {1}", hold.keys(), reason.sentence());
                events.lost(hold, reason);
            }
            afterLoss(hold);
        });
    }

    private void afterLoss(Hold hold) {
        clearLost(hold);
        Waiter collector = hold.collector();
        if (collector != null) {
            collector.prefixLost();
        }
    }

    /** Takes a lost hold out of its gates, and out of the store as far as it is still there. */
    private void clearLost(Hold hold) {
        for (LockKey key : hold.keys()) {
            Gate gate = gates.find(key);
            if (gate != null) {
                gate.lost(hold);
                turn(gate);
            }
        }
        if (hold.terms().lockDelay().isZero()) {
            // The holder knows, so nobody need wait for the time to run out: not for the rest of a set, nor for a
            // renewal that
            // reached the store though its answer did not reach us.
            releases.giveBack(hold.grants());
        }
    }

    /** Gives a good hold up that no lease stands for: to the next local waiter, or to the store. */
    void giveUp(Hold hold) {
        var unused = releases.giveUp(hold); // nobody is left to be told
    }

    /** Gives a hold up that may be incomplete. */
    void giveToStore(Hold hold) {
        if (hold.isLive()) {
            var unused = releases.toStore(hold); // nobody is left to be told
        } else if (hold.isLost()) {
            // It was lost while it was still being collected: what was added since then is not cleared away yet.
            clearLost(hold);
        } else {
            // The shutdown has ended it meanwhile, and released what it consisted of then. The gates are its own
            // affair.
            releases.giveBack(hold.grants());
        }
    }

    /** Gives a hold up because this engine is closed, and tells its holders. */
    void endForClosing(Hold hold) {
        var unused = shutdown.end(hold); // the shutdown does not wait for it
    }

    /** Extends a lease on its holder's wish. */
    Duration renewNow(HeldRight lease, Duration atLeast) {
        Answer<Watchdog.Outcome> answer = new Answer<>();
        watchdog.renewNow(lease.hold(), lease.hold().withinMaximum(atLeast, now()), answer::set);
        Watchdog.Outcome outcome;
        try {
            outcome = answer.await(settings.answerWithin().plusSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    "Interrupted while renewing " + lease.hold().keys() + "; the lease goes on");
        }
        if (outcome == null || outcome.failure() != null) {
            throw new StoreUnavailableException(
                    "No answer to the renewal of " + lease.hold().keys() + "; the lease goes on until its old deadline",
                    outcome == null ? null : outcome.failure());
        }
        if (outcome.gone() != null) {
            lease.hold().gone(outcome.gone(), now());
            throw lease.lostException();
        }
        lease.hold().extended(outcome.grants(), outcome.validUntilNanos(), now());
        if (!lease.isHeld()) {
            throw lease.lostException();
        }
        events.renewed(lease.hold());
        return lease.remaining();
    }

    // ---- time ---------------------------------------------------------------------------------------------------

    long now() {
        return surroundings.nanos();
    }

    long suspendedNanos() {
        return suspendedNanos;
    }

    void noticeSuspend() {
        suspendedNanos = surroundings.noticeSuspend();
    }

    /** Until when a lease that was granted by a request sent at this moment may be relied on. */
    long validUntil(long sentNanos, Duration lease) {
        long nanos = lease.toNanos();
        return sentNanos
                + nanos
                - (long) (nanos * EngineSettings.DRIFT)
                - EngineSettings.MARGIN_NANOS
                - capabilities.granularity().toNanos();
    }

    /** When to ask about a waiting place again: soon enough to be heard of, and when the holder's lease may have ended. */
    static long recheckNanos(Duration holderEndsIn) {
        long ends = holderEndsIn.compareTo(Duration.ofSeconds(1)) > 0 ? Long.MAX_VALUE / 2 : holderEndsIn.toNanos();
        return Math.max(1_000_000, Math.min(EngineSettings.HEARTBEAT_NANOS, ends + 1_000_000));
    }

    /** The pause, shortened or lengthened by up to a quarter. */
    long jittered(long pauseNanos) {
        return (long) (pauseNanos * (0.75 + surroundings.random().nextDouble() / 2));
    }

    /** Runs a task on the lane after a pause. */
    void later(long pauseNanos, Runnable task) {
        timetable.set(
                new Timetable.Entry() {
                    @Override
                    protected void ring(long nowNanos) {
                        lane.execute(task);
                    }
                },
                now() + pauseNanos);
    }

    // ---- parts --------------------------------------------------------------------------------------------------

    /** An attempt, once this process is a member of the namespace. */
    CompletionStage<AttemptAnswer> attempt(Attempt attempt) {
        return membership.isJoined()
                ? store.attempt(attempt)
                : membership.join().thenCompose(joined -> store.attempt(attempt));
    }

    /** Names this engine to everybody: other than its incarnation, it is of no use to release its locks. */
    String publicId() {
        return publicId;
    }

    OwnerId newOwner() {
        return owner(attempts.incrementAndGet());
    }

    /** Who an attempt of this engine is to the store. */
    OwnerId owner(long attempt) {
        return new OwnerId(incarnation, attempt);
    }

    String typeOf(Hold hold) {
        return typeOf(hold.grant(0).key());
    }

    String typeOf(LockKey key) {
        Optional<LockType> declared = settings.order().typeOf(key);
        if (declared.isPresent()) {
            return declared.get().name();
        }
        String name = key.name();
        int colon = name.indexOf(':');
        return colon < 0 ? name : name.substring(0, colon);
    }

    boolean storeQueues() {
        return capabilities.queue() == StoreCapabilities.Queue.SERVER;
    }

    boolean isClosed() {
        return closed.get();
    }

    boolean markClosed() {
        return closed.compareAndSet(false, true);
    }

    void closeParts() {
        store.close();
        if (!settings.backendKeptOpen()) {
            backend.close();
        }
        closeSurroundings.run();
    }

    Surroundings surroundings() {
        return surroundings;
    }

    Parking parking() {
        return parking;
    }

    EngineSettings settings() {
        return settings;
    }

    StoreCapabilities capabilities() {
        return capabilities;
    }

    String storeName() {
        return backend.name();
    }

    String label() {
        return settings.name();
    }

    long answerNanos() {
        return settings.answerWithin().toNanos();
    }

    LockStore store() {
        return store;
    }

    StoreCalls calls() {
        return calls;
    }

    Gates gates() {
        return gates;
    }

    Timetable timetable() {
        return timetable;
    }

    Executor lane() {
        return lane;
    }

    /** For loss callbacks, and nothing else. */
    Executor callbacks() {
        return callbacks;
    }

    /** For asynchronous requests: a stage that blocks here must not delay the news of a loss. */
    Executor completions() {
        return completions;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    Lending lending() {
        return lending;
    }

    OrderLearner orderLearner() {
        return orderLearner;
    }

    LongWaits longWaits() {
        return longWaits;
    }

    Releases releases() {
        return releases;
    }

    Places places() {
        return places;
    }

    Events events() {
        return events;
    }

    LeakGuard leaks() {
        return leaks;
    }

    /** Logs a warning the first time something of this kind happens. */
    void warnOnce(String kind, String message) {
        if (warned.size() < MOST_WARNINGS && warned.add(kind)) {
            log.log(System.Logger.Level.WARNING, message);
        }
    }

    System.Logger log() {
        return log;
    }
}
