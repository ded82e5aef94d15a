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

/** The parent's side of a {@link BenchProcessMain}. Used by one thread. */
final class BenchProcess implements AutoCloseable {
    /** Longer than any timeout inside the process. */
    private static final Duration ANSWER_WITHIN = WorkerGroup.STUCK_AFTER.multipliedBy(3);

    private static final String ENDED = "ended";
    private static final String DONE = "done";
    private static final int LOG_LINES = 20;

    private final ChildProcess process;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    /** Whether a command or an answer was lost. Later answers could belong to another command. */
    private boolean lost;

    private BenchProcess(ChildProcess process) {
        this.process = process;
    }

    /**
     * Starts a process. Its standard error goes to the log.
     *
     * @param options JVM options
     */
    static BenchProcess start(
            Class<? extends ContenderSource> source, String address, Duration lease, List<String> options, Path log) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Several processes share the processors of one computer, so each uses the single-threaded collector.
        line.addAll(List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx512m"));
        line.addAll(options);
        line.addAll(List.of("-cp", classPath(), BenchProcessMain.class.getName()));
        line.addAll(List.of(source.getName(), address, lease.toString()));
        Path folder = log.toAbsolutePath().getParent();
        BenchProcess started = new BenchProcess(
                ChildProcess.startTalking(new Command(line, Map.of(), folder == null ? Path.of(".") : folder, log)));
        Thread reader = new Thread(started::read, "bench-process-reader");
        reader.setDaemon(true);
        reader.start();
        return started;
    }

    /** Absolute paths, because the process runs in another folder. */
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
            // Treated like the end of the process.
        }
        answers.add(ENDED);
    }

    /** Whether the process can no longer be used. */
    boolean hasEnded() {
        return lost || !process.isAlive();
    }

    /**
     * Sends a command. {@link #answer} returns its answer.
     *
     * @throws BenchException if the process has ended
     */
    void send(String command) {
        if (lost) {
            throw failed("has ended", null);
        }
        try {
            process.input().write((command + '\n').getBytes(UTF_8));
            process.input().flush();
        } catch (IOException e) {
            throw failed("has ended", e);
        }
    }

    /**
     * Returns the answer to the oldest unanswered command.
     *
     * @throws BenchException if the command failed or the process has ended
     */
    String answer() throws InterruptedException {
        String answer = lost ? ENDED : answers.poll(ANSWER_WITHIN.toNanos(), TimeUnit.NANOSECONDS);
        if (answer == null || answer.equals(ENDED)) {
            throw failed(answer == null ? "has not answered within " + ANSWER_WITHIN : "has ended", null);
        }
        if (!answer.startsWith(DONE)) {
            throw new BenchException(answer.substring(answer.indexOf(' ') + 1), null);
        }
        return answer.substring(DONE.length()).strip();
    }

    private BenchException failed(String what, @Nullable Throwable cause) {
        lost = true;
        return new BenchException("A benchmark process " + what + ": " + process.logTail(LOG_LINES), cause);
    }

    @Override
    public void close() {
        lost = true;
        process.kill();
    }
}
