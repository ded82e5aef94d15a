package dev.interlock.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Kills the processes that a JVM has started when that JVM ends, and deletes its temporary folders.
 *
 * <p>It is a process of its own, one per JVM, that reads lines from the JVM ({@code watch 4711}, {@code folder
 * /tmp/x}). The pipe closes when the JVM ends in any way, {@code kill -9} included. The reaper then cleans up and ends.
 * An orderly end and a crash use the same path, so every test run exercises it.
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class ProcessReaper {
    /**
     * A file that receives the id of every started process, so that a later test can check that all of them are gone.
     */
    private static final String STARTED_FILE = "interlock.started.processes";

    /** How long programs may take to end in order; PostgreSQL frees its shared memory only then. */
    private static final Duration GOODBYE = Duration.ofSeconds(1);

    private static final ReentrantLock STARTING = new ReentrantLock();
    private static @Nullable ProcessReaper ofThisJvm;

    private final OutputStream line;
    private final ReentrantLock writing = new ReentrantLock();

    private ProcessReaper(OutputStream line) {
        this.line = line;
    }

    /** Returns the reaper of this JVM. The first call starts it. */
    public static ProcessReaper ofThisJvm() {
        STARTING.lock();
        try {
            if (ofThisJvm == null) {
                ofThisJvm = start();
            }
            return ofThisJvm;
        } finally {
            STARTING.unlock();
        }
    }

    private static ProcessReaper start() {
        try {
            Process process = new ProcessBuilder(commandLine())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            logStarted(process.pid());
            return new ProcessReaper(process.getOutputStream());
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException("Could not start the process that cleans up after the tests", e);
        }
    }

    private static List<String> commandLine() throws URISyntaxException {
        List<String> command = new ArrayList<>();
        // Ctrl-C goes to every process in the terminal's session; the reaper must outlive it.
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid");
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-Xmx32m", "-Xss256k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp"));
        command.add(Path.of(ProcessReaper.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString());
        command.add(ProcessReaper.class.getName());
        return command;
    }

    /** Adds a process that is killed, with its children, when this JVM ends. */
    void watch(long pid) {
        logStarted(pid);
        send("watch " + pid);
    }

    /** Removes a process that has ended; the system may reuse its id. */
    void forget(long pid) {
        send("forget " + pid);
    }

    /** Adds a folder that is deleted when this JVM ends. */
    void cleanUp(Path folder) {
        send("folder " + folder.toAbsolutePath());
    }

    private void send(String message) {
        writing.lock();
        try {
            line.write((message + "\n").getBytes(UTF_8));
            line.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("The process that cleans up after the tests is gone", e);
        } finally {
            writing.unlock();
        }
    }

    private static void logStarted(long pid) {
        String file = System.getProperty(STARTED_FILE);
        if (file == null) {
            return;
        }
        try {
            String started = ProcessHandle.of(pid)
                    .flatMap(handle -> handle.info().startInstant())
                    .map(Object::toString)
                    .orElse("");
            Files.writeString(
                    Path.of(file), pid + " " + started + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs the reaper's own process. */
    public static void main(String[] arguments) throws IOException {
        // Handles, not ids: a handle knows the start time of its process, so it never kills another process that reuses
        // the id.
        Map<Long, ProcessHandle> watched = new TreeMap<>();
        Set<Path> folders = new LinkedHashSet<>();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String rest = line.substring(line.indexOf(' ') + 1);
            switch (line.substring(0, line.indexOf(' '))) {
                case "watch" -> ProcessHandle.of(Long.parseLong(rest)).ifPresent(it -> watched.put(it.pid(), it));
                case "forget" -> watched.remove(Long.parseLong(rest));
                case "folder" -> folders.add(Path.of(rest));
                default -> throw new IllegalArgumentException(line);
            }
        }
        ProcessTree.signal("INT", watched.values());
        ProcessTree.awaitEnd(watched.values(), GOODBYE);
        ProcessTree.kill(watched.values());
        folders.forEach(Folders::delete);
    }
}
