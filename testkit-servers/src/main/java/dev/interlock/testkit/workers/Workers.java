package dev.interlock.testkit.workers;

import dev.interlock.testkit.history.EventLog;
import dev.interlock.testkit.history.History;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.process.ChildProcess;
import dev.interlock.testkit.process.Folders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The worker processes of one run, the two resources they write to, and the history of the run.
 *
 * <p>Everything ends with {@link #close}, or with the JVM of the test. Worker numbers are never reused, so a worker
 * that replaces a killed one has another number in the history. Thread-safe.
 *
 * @since 0.1.0
 */
public final class Workers implements AutoCloseable {
    private static final int FENCED_NUMBER = 16_000;
    private static final int UNFENCED_NUMBER = 16_001;

    /** The files are sparse, so this costs only address space. */
    private static final int CAPACITY = 4_000_000;

    private static final int RESOURCE_CAPACITY = 16_000_000;

    private final WorkerSetup setup;
    private final Path folder;
    private final EventLog log;
    private final Recorder recorder;
    private final FencedResource fenced;
    private final FencedResource unfenced;
    private final List<Worker> all = new CopyOnWriteArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger();

    private Workers(WorkerSetup setup, Path folder, EventLog log) {
        this.setup = setup;
        this.folder = folder;
        this.log = log;
        recorder = new Recorder(log, System::nanoTime);
        fenced = resource("resource", FENCED_NUMBER, EventLog.Role.FENCED_RESOURCE);
        try {
            unfenced = resource("unfenced twin", UNFENCED_NUMBER, EventLog.Role.UNFENCED_RESOURCE);
        } catch (RuntimeException e) {
            fenced.close();
            throw e;
        }
    }

    /** Starts the resources and this many workers. If one of them cannot be started, all are ended. */
    public static Workers start(int count, WorkerSetup setup) {
        Path folder = Folders.temporary("workers");
        Workers workers;
        try {
            EventLog log =
                    EventLog.create(folder.resolve("harness.log"), EventLog.Writer.client(0, "harness"), CAPACITY);
            workers = new Workers(setup, folder, log);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not create the log of the run", e);
        }
        try {
            workers.startMore(count);
            return workers;
        } catch (RuntimeException e) {
            workers.close();
            throw e;
        }
    }

    private FencedResource resource(String name, int number, EventLog.Role role) {
        FencedResource resource = FencedResource.start(
                folder.resolve(name.replace(' ', '-') + ".log"),
                new EventLog.Writer(number, name, role),
                RESOURCE_CAPACITY);
        try (ResourceClient client = resource.connect()) {
            recorder.clockBound(number, ClockCheck.bound(name, client::clock, System::nanoTime));
            return resource;
        } catch (RuntimeException e) {
            resource.close();
            throw e;
        }
    }

    /** Starts more workers in parallel and waits until all are ready. */
    public List<Worker> startMore(int count) {
        List<Worker> started = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            started.add(launch());
        }
        started.forEach(Worker::awaitReady);
        return List.copyOf(started);
    }

    private Worker launch() {
        int number = numbers.incrementAndGet();
        String name = "worker " + number;
        Path events = folder.resolve("worker-" + number + ".log");
        WorkerMessage arguments = WorkerMessage.of("setup")
                .with("name", name)
                .with("number", number)
                .with("log", events.toAbsolutePath())
                .with("capacity", CAPACITY)
                .with("backend", setup.backend())
                .with("address", setup.address())
                .with("namespace", setup.namespace())
                .with("fenced", fenced.port())
                .with("unfenced", unfenced.port());
        List<String> options = new ArrayList<>(List.of(Children.COMPILE_QUICKLY));
        options.addAll(setup.jvmOptions());
        ChildProcess process = ChildProcess.startTalking(Children.java(
                WorkerMain.class,
                options,
                List.of(arguments.toString()),
                setup.variables(),
                folder.resolve("worker-" + number + ".err")));
        Worker worker = new Worker(name, number, process, events, recorder);
        all.add(worker);
        return worker;
    }

    /** The n-th worker in the order of their start, from 0. */
    public Worker get(int index) {
        return all.get(index);
    }

    /** All workers, killed ones included. */
    public List<Worker> all() {
        return List.copyOf(all);
    }

    /** The resource that rejects stale tokens. */
    public FencedResource fenced() {
        return fenced;
    }

    /** The resource that accepts everything; it keeps the keys of type {@link WorkerRequest#UNFENCED}. */
    public FencedResource unfenced() {
        return unfenced;
    }

    /** The recorder of the test's own actions and observations. */
    public Recorder recorder() {
        return recorder;
    }

    /** What all processes have recorded so far, killed ones included. */
    public History history() {
        List<Path> files = new ArrayList<>(List.of(folder.resolve("harness.log"), fenced.log(), unfenced.log()));
        all.forEach(worker -> files.add(worker.log()));
        try {
            return History.read(files);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read the history of the run", e);
        }
    }

    /** Kills all processes and deletes the logs. */
    @Override
    public void close() {
        all.forEach(Worker::end);
        fenced.close();
        unfenced.close();
        log.close();
        Folders.delete(folder);
    }
}
