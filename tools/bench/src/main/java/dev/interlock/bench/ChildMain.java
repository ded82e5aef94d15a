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
 * A process of a workload that has several. Reads one order per line and answers each with one line; ends with its input.
 *
 * <pre>
 *   open  ID CONTENDER threads FILE FIRST COUNT    opens a contender for threads at one hot lock
 *   open  ID CONTENDER runner FILE SIDE            opens a contender for a runner
 *   hold  ID CONTENDER COUNT                       acquires so many locks; answers with what they take
 *   warm  ID TIME                                  lets the compiler see the contender
 *   hurry ID true|false                            whether runners pass their lock back at once
 *   begin ID, count ID, end ID                     a turn; the last one answers with the tally
 *   close ID
 * </pre>
 */
public final class ChildMain {
    private static final String DONE = "done";
    private static final String FAILED = "failed";

    private final List<Contender> contenders;
    private final Map<String, Part> parts = new HashMap<>();
    private final Map<String, Crew> crews = new HashMap<>();

    private ChildMain(List<Contender> contenders) {
        this.contenders = contenders;
    }

    /** Started with the class of the {@link ContenderSource}, the server's address and the length of a lease. */
    public static void main(String... args) throws IOException, ReflectiveOperationException {
        PrintStream answers = System.out;
        // What a contender prints must not be taken for an answer.
        System.setOut(System.err);
        ContenderSource source = Class.forName(args[0])
                .asSubclass(ContenderSource.class)
                .getConstructor()
                .newInstance();
        ChildMain child = new ChildMain(source.contenders(args[1], Duration.parse(args[2])));
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            answers.println(child.obey(List.of(order.split(" ", -1))));
        }
        // Threads of contenders may be stuck; nobody waits for them.
        Runtime.getRuntime().halt(0);
    }

    private String obey(List<String> words) {
        String id = words.get(1);
        try {
            switch (words.get(0)) {
                case "open" -> parts.put(id, open(words.subList(2, words.size())));
                case "warm" -> part(id).warmUp(Duration.parse(words.get(2)));
                case "hurry" -> part(id).hurry(Boolean.parseBoolean(words.get(2)));
                case "hold" -> {
                    return DONE + ' ' + Hoard.acquire(named(words.get(2)), id, Integer.parseInt(words.get(3)));
                }
                case "begin" -> begin(id);
                case "count" -> crew(id).count();
                case "end" -> {
                    return DONE + ' ' + crew(id).end().encode();
                }
                case "close" -> part(id).close();
                default -> throw new IllegalArgumentException("an unknown order: " + words);
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

    private Part open(List<String> words) {
        Contender contender = named(words.get(0));
        Path file = Path.of(words.get(2));
        int number = Integer.parseInt(words.get(3));
        return words.get(1).equals("runner")
                ? Part.runner(contender.name(), contender, file, number)
                : Part.threads(
                        contender.name(),
                        contender,
                        SharedCounters.in(file),
                        number,
                        Integer.parseInt(words.get(4)),
                        Reach.hot(),
                        Pace.REMOTE_CONTENDED);
    }

    private Contender named(String name) {
        return contenders.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no contender " + name));
    }

    private void begin(String id) throws InterruptedException {
        Crew crew = part(id).crew();
        crews.put(id, crew);
        crew.begin();
    }

    private Part part(String id) {
        Part part = parts.get(id);
        if (part == null) {
            throw new IllegalStateException("it was not opened");
        }
        return part;
    }

    private Crew crew(String id) {
        Crew crew = crews.get(id);
        if (crew == null) {
            throw new IllegalStateException("it has not begun");
        }
        return crew;
    }

    private static String oneLine(Throwable failure) {
        Throwable cause = failure.getCause();
        String text = cause == null ? failure.toString() : failure.getMessage() + ": " + cause;
        return text.replaceAll("\\s+", " ");
    }
}
