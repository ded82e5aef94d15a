package dev.interlock.testkit.workers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.Interlock;
import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.OrderPolicy;
import dev.interlock.testkit.history.EventLog;
import dev.interlock.testkit.history.Recorder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The process of a {@link Worker}: builds an {@code Interlock}, then executes the commands on its standard input.
 *
 * <p>Each command runs on a thread of its own, so a wait for a lock delays no other command. Answers are sent in the
 * order in which they are ready. The process ends when its standard input ends.
 */
final class WorkerMain {
    private final ReentrantLock writing = new ReentrantLock();
    private final PrintStream out;

    private WorkerMain(PrintStream out) {
        this.out = out;
    }

    /** The only argument is a {@link WorkerMessage} with the setup. */
    public static void main(String[] arguments) throws IOException {
        WorkerMain main = new WorkerMain(System.out);
        // The output of drivers must not get between the lines of the protocol.
        System.setOut(System.err);
        main.run(WorkerMessage.parse(arguments[0]));
    }

    private void run(WorkerMessage setup) throws IOException {
        String name = setup.text("name");
        int number = setup.count("number");
        EventLog log = EventLog.create(
                Path.of(setup.text("log")), EventLog.Writer.client(number, name), setup.count("capacity"));
        RecordedLeases recordedLeases = new RecordedLeases();
        Interlock interlock = Interlock.builder(
                        WorkerSetup.connect(setup.text("backend"), setup.text("address"), setup.text("namespace")))
                .name(name)
                .orderPolicy(OrderPolicy.valueOf(System.getProperty(WorkerSetup.ORDER, OrderPolicy.REFUSE.name())))
                .deadlockDetection(
                        Boolean.getBoolean(WorkerSetup.MONITOR)
                                ? DeadlockDetection.standard().notSearching().withMonitor()
                                : DeadlockDetection.standard())
                .listener(recordedLeases::onEvent)
                .build();
        StopPoints stopPoints = new StopPoints(this::send);
        WorkerCounts counts = new WorkerCounts();
        Recorder recorder = new Recorder(log, System::nanoTime);
        Connections connections = new Connections(setup.count("fenced"), setup.count("unfenced"));
        CriticalSectionRunner sections =
                new CriticalSectionRunner(interlock.locks(), recorder, connections, stopPoints, counts, recordedLeases);
        NestedLockRunner nests = new NestedLockRunner(interlock.locks(), recorder, connections, counts, recordedLeases);
        WorkerCommands commands = new WorkerCommands(interlock, sections, nests, stopPoints, counts, name, number);
        send(WorkerMessage.of("ready"));
        execute(commands);
        // Nothing is closed in order: a test that needs that sends a command first.
        Runtime.getRuntime().halt(0);
    }

    private void execute(WorkerCommands commands) throws IOException {
        ExecutorService threads = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "command");
            thread.setDaemon(true);
            return thread;
        });
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            WorkerMessage command = WorkerMessage.parse(line);
            if (command.verb().equals("clock")) {
                // At once: the time between request and answer matters.
                send(command.with("nanos", System.nanoTime()));
            } else {
                threads.execute(() -> send(answer(commands, command)));
            }
        }
    }

    private static WorkerMessage answer(WorkerCommands commands, WorkerMessage command) {
        try {
            return commands.carryOut(command).numbered(command.id());
        } catch (Exception e) {
            e.printStackTrace();
            return WorkerMessage.of("error").with("why", e.toString()).numbered(command.id());
        }
    }

    private void send(WorkerMessage message) {
        writing.lock();
        try {
            out.println(message);
            out.flush();
        } finally {
            writing.unlock();
        }
    }
}
