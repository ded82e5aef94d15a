package dev.interlock.simulation;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Environment;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Several processes with the real engine over one real in-memory store, in virtual time, with all faults in between.
 * One seed always gives the same run.
 *
 * <p>Public with public members, so that the test for planted bugs can run it in its own class loader.
 */
public final class Simulation {
    private static final long MILLI = 1_000_000;

    /** The events of a run and its violations. */
    public record Outcome(
            long seed,
            List<String> violations,
            long grants,
            long passes,
            long losses,
            long refusals,
            long events,
            String trace) {}

    // A simulation has thousands of losses. A field, since the log framework refers to loggers weakly.
    private static final Logger ENGINE_LOG = Logger.getLogger("dev.interlock");

    static {
        ENGINE_LOG.setLevel(Level.SEVERE);
    }

    private Simulation() {}

    /** Runs one seed. */
    public static Outcome run(long seed, boolean traced) {
        World world = new World(seed, traced);
        Faults faults = Faults.draw(world.random);
        // With a long lease, a grant that is not returned in time still exists at the end of the run.
        boolean longLease = faults.hasNoOrphans() && !faults.kills() && world.chance(0.5);
        Duration lease = Duration.ofMillis(longLease ? 60_000 : world.between(800, 4000));
        Checks checks = new Checks(world, faults);
        InMemoryBackend server = InMemoryBackend.create(world::now, 1);
        SimulatedStore.Network network = new SimulatedStore.Network(faults);
        world.record("faults " + faults + ", lease " + lease);

        List<LockKey> keys = new ArrayList<>();
        for (int i = 0; i < world.between(1, 3); i++) {
            keys.add(LockKey.of("k", Integer.toString(i)));
        }
        List<SimulatedProcess> processes = new ArrayList<>();
        List<Task> tasks = new ArrayList<>();
        for (int p = 0; p < world.between(2, 3); p++) {
            SimulatedProcess process =
                    new SimulatedProcess(world, "p" + p, 1 + (world.random.nextDouble() - 0.5) * 0.008);
            Interlock.Builder builder = Interlock.builder(new SimulatedStore(world, process, server, network, checks))
                    .name(process.name)
                    .answerWithin(
                            Duration.ofMillis(world.chance(0.3) ? world.between(2000, 6000) : world.between(50, 500)))
                    .environment(process);
            Interlock interlock = (world.chance(0.5) ? builder.strictFifo() : builder).build();
            process.beforePause(checks::sweep);
            processes.add(process);
            for (int t = 0; t < world.between(1, 6); t++) {
                Task task = new Task(
                        world, process, interlock.locks(), checks, faults, lease, keys, (int) world.between(2, 8));
                tasks.add(task);
                task.start();
            }
        }
        scheduleFaults(world, faults, network, processes);
        if (faults.forced()) {
            scheduleForcedReleases(world, server.openLocks(new NoContext()), checks, keys);
        }
        checkRegularly(world, checks);

        world.runUntil(world.now() + world.between(2_000, 12_000) * MILLI);
        calmDown(world, faults, network, tasks, longLease ? Duration.ZERO : lease);
        finalChecks(world, server, network, processes, tasks);
        return new Outcome(
                seed,
                world.violations(),
                checks.grants,
                checks.passes,
                checks.losses,
                checks.refusals,
                world.happened,
                world.trace());
    }

    private static void scheduleFaults(
            World world, Faults faults, SimulatedStore.Network network, List<SimulatedProcess> processes) {
        for (SimulatedProcess process : processes) {
            for (int second = 0; second < 8 && faults.pauses() > 0; second++) {
                if (world.chance(faults.pauses())) {
                    world.in(world.between(0, 8000) * MILLI, () -> process.pause(world.between(5, 3000) * MILLI));
                }
            }
        }
        if (faults.kills() && world.chance(0.5)) {
            world.in(world.between(0, 5000) * MILLI, processes.get(0)::kill);
        }
        if (faults.outages()) {
            world.in(world.between(0, 6000) * MILLI, () -> {
                world.record("network cut");
                network.cut = true;
                world.in(world.between(50, 5000) * MILLI, () -> {
                    world.record("network back");
                    network.cut = false;
                });
            });
        }
    }

    /** An operator releases locks by force. */
    private static void scheduleForcedReleases(World world, LockStore operator, Checks checks, List<LockKey> keys) {
        for (int i = 0; i < 6; i++) {
            LockKey key = keys.get(world.random.nextInt(keys.size()));
            world.in(
                    world.between(0, 6000) * MILLI,
                    () -> operator.snapshot(new SnapshotQuery(key.name(), Optional.empty(), 1))
                            .thenAccept(page -> page.locks().stream()
                                    .flatMap(lock -> lock.holders().stream())
                                    .mapToLong(LockSnapshot.Holder::grant)
                                    .max()
                                    .ifPresent(newest -> {
                                        world.record("forced release of " + key);
                                        checks.forced(key, newest);
                                        operator.forceRelease(key);
                                    })));
        }
    }

    private static void checkRegularly(World world, Checks checks) {
        world.in(23 * MILLI, () -> {
            checks.sweep();
            checks.checkLost();
            checkRegularly(world, checks);
        });
    }

    /** The faults stop, tasks finish their current round, and the engine has time to return orphaned grants. */
    private static void calmDown(
            World world, Faults faults, SimulatedStore.Network network, List<Task> tasks, Duration lease) {
        tasks.forEach(Task::stop);
        network.faults = Faults.NONE;
        network.cut = false;
        world.runUntil(world.now() + (faults.isCalm() ? 60_000 : 20_000) * MILLI + 2 * lease.toNanos());
    }

    private static void finalChecks(
            World world,
            InMemoryBackend server,
            SimulatedStore.Network network,
            List<SimulatedProcess> processes,
            List<Task> tasks) {
        boolean processDied = processes.stream().anyMatch(SimulatedProcess::isDead);
        for (Task task : tasks) {
            if (task.unsettled > 0 && !processDied) {
                world.violated("every request is settled", task.unsettled + " are not");
            }
        }
        LockStore store = server.openLocks(new NoContext());
        store.snapshot(new SnapshotQuery("", Optional.empty(), 1000)).thenAccept(page -> {
            if (!page.locks().isEmpty()) {
                world.violated(
                        "nothing is held or waited for at rest", page.locks().toString());
            }
        });
        long calls = network.calls;
        world.runUntil(world.now() + 2_000 * MILLI);
        if (network.calls != calls) {
            world.violated("an engine at rest is silent", (network.calls - calls) + " calls in two seconds");
        }
    }

    private record NoContext() implements StoreContext {
        @Override
        public Executor ordinary() {
            return Runnable::run;
        }

        @Override
        public Executor urgent() {
            return Runnable::run;
        }

        @Override
        public StoreListener listener() {
            throw new UnsupportedOperationException("this context has no waiters");
        }

        @Override
        public Environment environment() {
            return new SimulatedProcess(new World(0, false), "observer", 1);
        }
    }
}
