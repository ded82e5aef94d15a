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
 * The worker processes of one run, the two resources they write to, and the history of it all.
 *
 * <p>Everything ends with {@link #close}, and if the test forgets that, with the JVM of the test. Worker numbers are never used
 * again, so a worker that replaces a dead one is another one in the history. Thread-safe.
 */
public final class Workers implements AutoCloseable {
    private static final int FENCED_NUMBER = 16_000;
    private static final int UNFENCED_NUMBER = 16_001;

    /** The files are sparse, so this costs nothing but addresses. */
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

    /** Starts the resources and so many workers; none is started if one cannot be. */
    public static Workers start(int count, WorkerSetup setup) {
        Path folder = Folders.temporary("workers");
        Workers workers;
        try {
            EventLog log =
                    EventLog.create(folder.resolve("harness.log"), EventLog.Writer.client(0, "harness"), CAPACITY);
            workers = new Workers(setup, folder, log);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not make the log of the run", e);
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

    /** Starts more workers, side by side, and waits until all are ready. */
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
        Message arguments = Message.of("setup")
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

    /** The worker that was started as the n-th, counted from 0. */
    public Worker get(int index) {
        return all.get(index);
    }

    /** All workers, dead ones too. */
    public List<Worker> all() {
        return List.copyOf(all);
    }

    /** The resource that refuses stale tokens. */
    public FencedResource fenced() {
        return fenced;
    }

    /** The resource that accepts everything; it keeps the keys of type {@link Ask#UNFENCED}. */
    public FencedResource unfenced() {
        return unfenced;
    }

    /** Where the test writes down what it does and sees itself. */
    public Recorder recorder() {
        return recorder;
    }

    /** What all processes have recorded so far, dead ones too. */
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
