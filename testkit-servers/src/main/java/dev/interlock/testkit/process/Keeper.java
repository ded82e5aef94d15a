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
 * Kills what a JVM has started when that JVM is gone, and deletes its temporary folders.
 *
 * <p>It is a process of its own, one per JVM, that reads lines from the JVM ({@code watch 4711}, {@code folder /tmp/x}). The
 * pipe closes when the JVM ends in whatever way, {@code kill -9} included; then the keeper does its work and ends. So there is
 * one way out for a good end and for a crash, and it is used every day.
 *
 * <p>Thread-safe.
 */
public final class Keeper {
    /** A file that gets the id of every process that was started, so that a later look can see that all are gone. */
    private static final String STARTED_FILE = "interlock.started.processes";

    /** How long programs may take to end by themselves; PostgreSQL gives its shared memory back only then. */
    private static final Duration GOODBYE = Duration.ofSeconds(1);

    private static final ReentrantLock STARTING = new ReentrantLock();
    private static @Nullable Keeper ofThisJvm;

    private final OutputStream line;
    private final ReentrantLock writing = new ReentrantLock();

    private Keeper(OutputStream line) {
        this.line = line;
    }

    /** The keeper of this JVM; it is started by the first call. */
    public static Keeper ofThisJvm() {
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

    private static Keeper start() {
        try {
            Process process = new ProcessBuilder(commandLine())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            note(process.pid());
            return new Keeper(process.getOutputStream());
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException("Could not start the process that cleans up after the tests", e);
        }
    }

    private static List<String> commandLine() throws URISyntaxException {
        List<String> command = new ArrayList<>();
        // Ctrl-C goes to everything in the terminal's session; the keeper has to outlive it.
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid");
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-Xmx32m", "-Xss256k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp"));
        command.add(Path.of(Keeper.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString());
        command.add(Keeper.class.getName());
        return command;
    }

    /** From now on this process is killed, with its children, when this JVM ends. */
    void watch(long pid) {
        note(pid);
        tell("watch " + pid);
    }

    /** The process has ended; its number may be given to another. */
    void forget(long pid) {
        tell("forget " + pid);
    }

    /** From now on this folder is deleted when this JVM ends. */
    void cleanUp(Path folder) {
        tell("folder " + folder.toAbsolutePath());
    }

    private void tell(String message) {
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

    private static void note(long pid) {
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

    /** The keeper's own process. */
    public static void main(String[] arguments) throws IOException {
        // Handles and not numbers: a handle knows when its process began, so it never kills a stranger with the same
        // number.
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
