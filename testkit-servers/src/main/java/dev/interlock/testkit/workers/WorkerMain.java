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
 * The process of a {@link Worker}: builds an {@code Interlock}, then does what the lines on its standard input say.
 *
 * <p>Each command runs on a thread of its own, so a wait for a lock keeps nothing else waiting; answers come in the order in
 * which they are ready. The process ends when its standard input does.
 */
final class WorkerMain {
    private final ReentrantLock writing = new ReentrantLock();
    private final PrintStream out;

    private WorkerMain(PrintStream out) {
        this.out = out;
    }

    /** The only argument is a {@link Message} with the setup. */
    public static void main(String[] arguments) throws IOException {
        WorkerMain main = new WorkerMain(System.out);
        // Whatever drivers print must not get between the lines of the protocol.
        System.setOut(System.err);
        main.run(Message.parse(arguments[0]));
    }

    private void run(Message setup) throws IOException {
        String name = setup.text("name");
        int number = setup.count("number");
        EventLog log = EventLog.create(
                Path.of(setup.text("log")), EventLog.Writer.client(number, name), setup.count("capacity"));
        Tenures tenures = new Tenures();
        Interlock interlock = Interlock.builder(
                        WorkerSetup.connect(setup.text("backend"), setup.text("address"), setup.text("namespace")))
                .name(name)
                .orderPolicy(OrderPolicy.valueOf(System.getProperty(WorkerSetup.ORDER, OrderPolicy.REFUSE.name())))
                .deadlockDetection(
                        Boolean.getBoolean(WorkerSetup.MONITOR)
                                ? DeadlockDetection.standard().notSearching().withMonitor()
                                : DeadlockDetection.standard())
                .listener(tenures::told)
                .build();
        Points points = new Points(this::say);
        Tally tally = new Tally();
        Recorder recorder = new Recorder(log, System::nanoTime);
        Connections connections = new Connections(setup.count("fenced"), setup.count("unfenced"));
        Sections sections = new Sections(interlock.locks(), recorder, connections, points, tally, tenures);
        Nests nests = new Nests(interlock.locks(), recorder, connections, tally, tenures);
        WorkerCommands commands = new WorkerCommands(interlock, sections, nests, points, tally, name, number);
        say(Message.of("ready"));
        obey(commands);
        // Nothing is closed in an orderly way: a test that wants that says so first.
        Runtime.getRuntime().halt(0);
    }

    private void obey(WorkerCommands commands) throws IOException {
        ExecutorService threads = Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work, "command");
            thread.setDaemon(true);
            return thread;
        });
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Message command = Message.parse(line);
            if (command.verb().equals("clock")) {
                // At once: what counts is the time between question and answer.
                say(command.with("nanos", System.nanoTime()));
            } else {
                threads.execute(() -> say(answer(commands, command)));
            }
        }
    }

    private static Message answer(WorkerCommands commands, Message command) {
        try {
            return commands.carryOut(command).numbered(command.id());
        } catch (Exception e) {
            e.printStackTrace();
            return Message.of("error").with("why", e.toString()).numbered(command.id());
        }
    }

    private void say(Message message) {
        writing.lock();
        try {
            out.println(message);
            out.flush();
        } finally {
            writing.unlock();
        }
    }
}
