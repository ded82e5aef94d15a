package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LockOperator;
import dev.interlock.lock.Locks;
import dev.interlock.lock.ShutdownReport;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Environment;
import java.time.Duration;

/** The lock engine of one Interlock: creates its parts and connects them. See the diagram of this package. */
public final class Engine {
    private final EngineRuntime runtime;
    private final StoreAccess access;
    private final Gates gates;
    private final Watchdog watchdog;
    private final LeakGuard leaks;
    private final StoreOperator operator;
    private final EngineLocks locks;
    private final DeadlockMonitor monitor;
    private final Shutdown shutdown;

    private Engine(Backend backend, EngineSettings settings, Environment environment, Runnable closeEnvironment) {
        runtime = new EngineRuntime(environment, backend.name(), settings.answerWithin(), this::afterEachRound);
        access = new StoreAccess(runtime, backend, NamespaceAgreement.ranksOf(settings.order()));
        gates = new Gates(runtime, settings.strictFifo());
        Events events = new Events(runtime, settings);
        leaks = new LeakGuard(runtime, settings, events);
        watchdog = new Watchdog(runtime, access, events);
        Releases releases = new Releases(runtime, settings, access, gates, events);
        Holds holds = new Holds(runtime, settings, access, gates, releases, watchdog, events);
        QueuePlaces places = new QueuePlaces(runtime, gates, releases, watchdog);
        WaitReports reports = new WaitReports(access);
        LongWaits longWaits = new LongWaits(runtime, settings, access, gates, reports);
        GateWalk walk =
                new GateWalk(runtime, settings, access, gates, places, holds, watchdog, events, leaks, longWaits);
        OrderLearner orderLearner = new OrderLearner(runtime, settings, events);
        RequestChecks checks = new RequestChecks(runtime, settings, access, holds, events, leaks, orderLearner);
        operator = new StoreOperator(runtime, settings, access, reports);
        locks = new EngineLocks(runtime, settings, events, checks, walk, orderLearner, operator);
        monitor = new DeadlockMonitor(runtime, settings, access, reports, locks);
        shutdown = new Shutdown(runtime, gates, holds, () -> {
            access.close(settings.backendKeptOpen());
            closeEnvironment.run();
        });
        access.open(places);
    }

    /** Opens the store and joins its namespace. */
    public static Engine open(
            Backend backend, EngineSettings settings, Environment environment, Runnable closeEnvironment) {
        settings.order().types().forEach(type -> ResolvedSettings.resolve(type.settings(), settings.defaults()));
        Engine engine = new Engine(backend, settings, environment, closeEnvironment);
        engine.runtime.start();
        try {
            engine.access.join(settings.answerWithin());
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
        return operator;
    }

    public ShutdownReport shutdown(Duration budget) {
        monitor.stop();
        return shutdown.run(budget);
    }

    EngineRuntime runtime() {
        return runtime;
    }

    Gates gates() {
        return gates;
    }

    /** Runs on the deadline thread after each round of due entries. */
    private void afterEachRound() {
        runtime.noticeSuspend();
        leaks.collect();
        watchdog.flush();
    }
}
