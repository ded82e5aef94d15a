package dev.interlock.testkit.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A few processes, one store and one resource, with all kinds of faults. The same seed gives the same run.
 *
 * <p>The model is correct or has one {@link PlantedBug}. It is recorded like a real run.
 */
final class ModelRun {
    static final Expectations EXPECTED = Expectations.strict()
            .notifiedWithin(Duration.ofMillis(5))
            .deadlocksBrokenWithin(Duration.ofSeconds(4))
            .exclusivityMayBreakIn("amnesia", "clock step")
            .load(20);

    static final String[] FAULTS = {
        "delay", "loss", "duplicate", "pause", "restart", "kill", "cut", "slow", "amnesia", "clock step"
    };

    private static final long MILLI = ModelWorld.MILLI;
    private static final int PROCESSES = 3;
    private static final int TASKS = 4;
    private static final int CAPACITY = 50_000_000;
    private static final List<String> KEYS = List.of("stock:a", "stock:b", "stock:c");

    private final ModelWorld world;
    private final boolean mayBreakExclusivity;
    private final List<EventLog> logs = new ArrayList<>();
    private final Recorder harness;
    private final ModelStore store;
    private final ModelResource fenced;
    private final ModelResource unfenced;
    private final List<ModelProcess> processes = new ArrayList<>();
    private final List<ModelTask> tasks = new ArrayList<>();
    private final List<Integer> numbers = new ArrayList<>();
    private int started;
    private boolean over;

    private ModelRun(long seed, @Nullable PlantedBug bug) {
        world = new ModelWorld(seed, bug);
        mayBreakExclusivity = world.chance(0.3);
        harness = new Recorder(log(EventLog.Writer.client(0, "harness")), world::now);
        store = new ModelStore(world);
        fenced = resource(10_000, EventLog.Role.FENCED_RESOURCE);
        unfenced = resource(10_001, EventLog.Role.UNFENCED_RESOURCE);
        for (int index = 0; index < PROCESSES; index++) {
            startProcess(index);
        }
    }

    /** Starts a process, in the place of a killed one if there was one. It is another process with another number. */
    private void startProcess(int index) {
        int number = ++started;
        Recorder recorder = new Recorder(log(EventLog.Writer.client(number, "worker " + number)), world::now);
        ModelProcess process = new ModelProcess(world, recorder, store, fenced, unfenced);
        if (index < processes.size()) {
            processes.set(index, process);
            numbers.set(index, number);
        } else {
            processes.add(process);
            numbers.add(number);
        }
        for (int task = 0; task < TASKS && !over; task++) {
            ModelTask fresh = new ModelTask(process, number + "/" + task, KEYS);
            tasks.add(fresh);
            fresh.start();
        }
    }

    /** A correct run. */
    static History clean(long seed, Duration length) {
        return run(seed, null, length);
    }

    static History run(long seed, @Nullable PlantedBug bug, Duration length) {
        return new ModelRun(seed, bug).history(length.toNanos());
    }

    private History history(long length) {
        new ModelDetector(world, store, processes).start();
        long end = world.now() + length;
        world.in(1_000 * MILLI, () -> injectFault(end));
        world.runUntil(end);
        over = true;
        tasks.forEach(ModelTask::stop);
        // Longer than any patience, any retry, and three leases.
        world.runUntil(end + 10_000 * MILLI);
        checkAtRest();
        return History.of(logs.toArray(new EventLog[0]));
    }

    private void injectFault(long end) {
        if (world.now() + 2_000 * MILLI > end) {
            return;
        }
        switch ((int) world.between(0, mayBreakExclusivity ? 9 : 7)) {
            case 0 -> networkFault(ModelWorld.NetworkFault.DELAY, "delay");
            case 1 -> networkFault(ModelWorld.NetworkFault.LOSS, "loss");
            case 2 -> networkFault(ModelWorld.NetworkFault.DUPLICATE, "duplicate");
            case 3 -> pause();
            case 4 -> restart("restart", true);
            case 5 -> kill();
            case 6 -> networkFault(ModelWorld.NetworkFault.CUT, "cut");
            case 7 -> slowDown();
            case 8 -> restart("amnesia", false);
            default -> stepClock();
        }
        world.in(world.between(100, 900) * MILLI, () -> injectFault(end));
    }

    private void networkFault(ModelWorld.NetworkFault type, String kind) {
        RecordedFault fault = harness.faultStarted(kind);
        world.begin(type, fault);
        world.in(world.between(300, 1_000) * MILLI, () -> world.end(type, fault));
    }

    private void pause() {
        int index = (int) world.between(0, PROCESSES - 1);
        RecordedFault fault = harness.faultStarted("pause", numbers.get(index));
        fault.acted();
        ModelProcess process = processes.get(index);
        process.pause();
        world.in(world.between(50, 900) * MILLI, () -> {
            fault.stopped();
            process.resume();
        });
    }

    private void slowDown() {
        int index = (int) world.between(0, PROCESSES - 1);
        RecordedFault fault = harness.faultStarted("slow", numbers.get(index));
        ModelProcess process = processes.get(index);
        process.slowDown(fault, world.between(20, 200) * MILLI);
        world.in(world.between(300, 1_000) * MILLI, () -> process.speedUp(fault));
    }

    private void restart(String kind, boolean keepsMemory) {
        if (!store.up()) {
            return;
        }
        RecordedFault fault = harness.faultStarted(kind);
        fault.acted();
        store.stop();
        world.in(world.between(10, 150) * MILLI, () -> {
            store.start(keepsMemory);
            harness.serverRestarted("store", keepsMemory);
            fault.stopped();
        });
    }

    private void kill() {
        int index = (int) world.between(0, PROCESSES - 1);
        if (processes.get(index).dead()) {
            return;
        }
        RecordedFault fault = harness.faultStarted("kill", numbers.get(index));
        processes.get(index).kill();
        fault.acted();
        world.in(world.between(50, 500) * MILLI, () -> {
            startProcess(index);
            fault.stopped();
        });
    }

    private void stepClock() {
        RecordedFault fault = harness.faultStarted("clock step");
        store.stepClock((world.chance(0.5) ? 1 : -1) * world.between(50, ModelProcess.LEASE / MILLI) * MILLI);
        fault.acted();
        fault.stopped();
    }

    private void checkAtRest() {
        for (String key : List.of("stock:a", "stock:b", "stock:c", "shared", "permits", "nested:a", "nested:b")) {
            store.checkAtRest(key, harness);
        }
        KEYS.forEach(key -> harness.finalValue(key, fenced.value(key)));
    }

    private ModelResource resource(int number, EventLog.Role role) {
        EventLog log =
                log(new EventLog.Writer(number, role == EventLog.Role.FENCED_RESOURCE ? "fenced" : "unfenced", role));
        return new ModelResource(world, new ResourceRecorder(log, world::now), role == EventLog.Role.FENCED_RESOURCE);
    }

    private EventLog log(EventLog.Writer writer) {
        EventLog log = EventLog.inMemory(writer, CAPACITY);
        logs.add(log);
        return log;
    }
}
