package dev.interlock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A process of a workload that uses several. Reads one command per line, answers each with one line, and exits at the
 * end of its input.
 *
 * <pre>
 *   open  ID CONTENDER threads FILE FIRST COUNT    opens a contender for threads that share one lock
 *   open  ID CONTENDER handoff FILE SIDE           opens a contender for a hand-off worker
 *   hold  ID CONTENDER COUNT                       acquires this many locks; answers with their footprint
 *   warm  ID TIME                                  warms up the JIT compiler
 *   fast  ID true|false                            whether hand-off workers pass the lock on at once
 *   begin ID, count ID, end ID                     one turn; "end" answers with the tally
 *   close ID
 * </pre>
 */
public final class BenchProcessMain {
    private static final String DONE = "done";
    private static final String FAILED = "failed";

    private final List<Contender> contenders;
    private final Map<String, LocalWorkers> workers = new HashMap<>();
    private final Map<String, WorkerGroup> groups = new HashMap<>();

    private BenchProcessMain(List<Contender> contenders) {
        this.contenders = contenders;
    }

    /** Arguments: the class of the {@link ContenderSource}, the address of the server, the length of a lease. */
    public static void main(String... args) throws IOException, ReflectiveOperationException {
        PrintStream answers = System.out;
        // Output of a contender must not be read as an answer.
        System.setOut(System.err);
        ContenderSource source = Class.forName(args[0])
                .asSubclass(ContenderSource.class)
                .getConstructor()
                .newInstance();
        BenchProcessMain main = new BenchProcessMain(source.contenders(args[1], Duration.parse(args[2])));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            answers.println(main.execute(List.of(command.split(" ", -1))));
        }
        // Does not wait for threads of contenders, which may be stuck.
        Runtime.getRuntime().halt(0);
    }

    private String execute(List<String> words) {
        String id = words.get(1);
        try {
            switch (words.get(0)) {
                case "open" -> workers.put(id, open(words.subList(2, words.size())));
                case "warm" -> workersOf(id).warmUp(Duration.parse(words.get(2)));
                case "fast" -> workersOf(id).passOnAtOnce(Boolean.parseBoolean(words.get(2)));
                case "hold" -> {
                    return DONE + ' ' + HeldLockSet.acquire(named(words.get(2)), id, Integer.parseInt(words.get(3)));
                }
                case "begin" -> begin(id);
                case "count" -> group(id).count();
                case "end" -> {
                    return DONE + ' ' + group(id).end().encode();
                }
                case "close" -> workersOf(id).close();
                default -> throw new IllegalArgumentException("unknown command: " + words);
            }
            return DONE;
        } catch (RuntimeException e) {
            e.printStackTrace();
            return FAILED + ' ' + oneLine(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return FAILED + " interrupted";
        }
    }

    private LocalWorkers open(List<String> words) {
        Contender contender = named(words.get(0));
        Path file = Path.of(words.get(2));
        int number = Integer.parseInt(words.get(3));
        return words.get(1).equals("handoff")
                ? LocalWorkers.handOff(contender.name(), contender, file, number)
                : LocalWorkers.threads(
                        contender.name(),
                        contender,
                        SharedCounters.in(file),
                        number,
                        Integer.parseInt(words.get(4)),
                        LockSelection.hot(),
                        BenchPace.REMOTE_CONTENDED);
    }

    private Contender named(String name) {
        return contenders.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no contender " + name));
    }

    private void begin(String id) throws InterruptedException {
        WorkerGroup group = workersOf(id).group();
        groups.put(id, group);
        group.begin();
    }

    private LocalWorkers workersOf(String id) {
        LocalWorkers found = workers.get(id);
        if (found == null) {
            throw new IllegalStateException("the contender was not opened");
        }
        return found;
    }

    private WorkerGroup group(String id) {
        WorkerGroup group = groups.get(id);
        if (group == null) {
            throw new IllegalStateException("the turn has not begun");
        }
        return group;
    }

    private static String oneLine(Throwable failure) {
        Throwable cause = failure.getCause();
        String text = cause == null ? failure.toString() : failure.getMessage() + ": " + cause;
        return text.replaceAll("\\s+", " ");
    }
}
