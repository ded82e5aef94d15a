package dev.interlock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.testkit.process.ChildProcess;
import dev.interlock.testkit.process.Command;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A {@link ChildMain} as the process sees it that started it. Used by one thread. */
final class Child implements AutoCloseable {
    /** Longer than the child itself waits for anything. */
    private static final Duration ANSWER_WITHIN = Crew.STUCK_AFTER.multipliedBy(3);

    private static final String GONE = "gone";
    private static final String DONE = "done";
    private static final int LOG_LINES = 20;

    private final ChildProcess process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    /** Whether it failed to take an order or to answer one: what it says from now on would be about something else. */
    private boolean lost;

    private Child(ChildProcess process) {
        this.process = process;
    }

    /**
     * Starts one; its errors go to the log.
     *
     * @param options of the virtual machine
     */
    static Child start(
            Class<? extends ContenderSource> source, String address, Duration lease, List<String> options, Path log) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Several run on the processors of one computer, so each gets few threads to collect garbage with.
        line.addAll(List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx512m"));
        line.addAll(options);
        line.addAll(List.of("-cp", classPath(), ChildMain.class.getName()));
        line.addAll(List.of(source.getName(), address, lease.toString()));
        Path folder = log.toAbsolutePath().getParent();
        Child child = new Child(
                ChildProcess.startTalking(new Command(line, Map.of(), folder == null ? Path.of(".") : folder, log)));
        Thread reader = new Thread(child::read, "bench-child-reader");
        reader.setDaemon(true);
        reader.start();
        return child;
    }

    /** Made absolute, because the child runs in another folder. */
    private static String classPath() {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty("java.class.path"))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.output(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                answers.add(line);
            }
        } catch (IOException e) {
            // As good as its end.
        }
        answers.add(GONE);
    }

    /** Whether it is of no use any more; it never comes back. */
    boolean isGone() {
        return lost || !process.isAlive();
    }

    /**
     * Gives an order; the answer is fetched with {@link #answer}.
     *
     * @throws BenchException if the process is gone
     */
    void tell(String order) {
        if (lost) {
            throw gone("is gone", null);
        }
        try {
            process.input().write((order + '\n').getBytes(UTF_8));
            process.input().flush();
        } catch (IOException e) {
            throw gone("is gone", e);
        }
    }

    /**
     * The answer to the oldest order that was not answered yet.
     *
     * @throws BenchException if the order failed, or the process did
     */
    String answer() throws InterruptedException {
        String answer = lost ? GONE : answers.poll(ANSWER_WITHIN.toNanos(), TimeUnit.NANOSECONDS);
        if (answer == null || answer.equals(GONE)) {
            throw gone(answer == null ? "has not answered within " + ANSWER_WITHIN : "is gone", null);
        }
        if (!answer.startsWith(DONE)) {
            throw new BenchException(answer.substring(answer.indexOf(' ') + 1), null);
        }
        return answer.substring(DONE.length()).strip();
    }

    private BenchException gone(String what, @Nullable Throwable cause) {
        lost = true;
        return new BenchException("A process of the bench " + what + ": " + process.logTail(LOG_LINES), cause);
    }

    @Override
    public void close() {
        lost = true;
        process.kill();
    }
}
