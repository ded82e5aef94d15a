package dev.interlock.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A running program that ends with this JVM, even if this JVM is killed.
 *
 * <p>Invariant: the {@link ProcessReaper} knows the process before the program starts. The child starts as a shell that
 * waits for one line. It gets that line only after the reaper was notified, and ends if the line never comes. The shell
 * then becomes the program, so {@link #pid()} is the program's.
 *
 * <p>Signals go to the whole process tree, because PostgreSQL, for example, answers from child processes. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ChildProcess {
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);
    private static final Duration DISMISS_WITHIN = Duration.ofSeconds(1);

    /** A session of its own, so that Ctrl-C in a terminal does not end the servers before the tests. */
    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final Process process;
    private final Command command;

    private ChildProcess(Process process, Command command) {
        this.process = process;
        this.command = command;
    }

    /**
     * Starts the program. Its output goes to the log of the command.
     *
     * @throws UncheckedIOException if the shell cannot be started; a program that does not exist appears as one that
     * has ended
     */
    public static ChildProcess start(Command command) {
        return start(command, Redirect.appendTo(command.log().toFile()));
    }

    /** Starts a program whose standard output is read with {@link #output()}. Only its errors go to the log. */
    public static ChildProcess startTalking(Command command) {
        return start(command, Redirect.PIPE);
    }

    private static ChildProcess start(Command command, Redirect output) {
        ProcessBuilder builder = new ProcessBuilder(behindGate(command.arguments()))
                .directory(command.folder().toFile())
                .redirectOutput(output)
                .redirectError(Redirect.appendTo(command.log().toFile()));
        builder.environment().putAll(command.variables());
        try {
            Process process = builder.start();
            ProcessReaper.ofThisJvm().watch(process.pid());
            OutputStream gate = process.getOutputStream();
            gate.write('\n');
            gate.flush();
            return new ChildProcess(process, command);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Could not start " + command.arguments().get(0), e);
        }
    }

    private static List<String> behindGate(List<String> arguments) {
        List<String> line = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            line.add(SETSID.toString());
        }
        line.addAll(List.of("/bin/sh", "-c", "read -r go && exec \"$@\"", "sh"));
        line.addAll(arguments);
        return line;
    }

    /** The process id of the program. */
    public long pid() {
        return process.pid();
    }

    /** Whether the program is running; a paused program is. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The program's standard input. */
    public OutputStream input() {
        return process.getOutputStream();
    }

    /** The program's standard output, if it was started with {@link #startTalking}. */
    public InputStream output() {
        return process.getInputStream();
    }

    /** Kills the program and all its children with {@code kill -9} and waits until they are gone. */
    public void kill() {
        ProcessTree.kill(List.of(process.toHandle()));
        reap();
    }

    /** Asks the program to end ({@code SIGTERM}) and waits. After ten seconds it is killed. */
    public void stop() {
        process.destroy();
        ProcessTree.awaitEnd(List.of(process.toHandle()), STOP_WITHIN);
        kill();
    }

    /**
     * Ends a program that is no longer needed: interrupts it, and kills it if it does not end soon. PostgreSQL frees
     * its shared memory only in an orderly shutdown.
     */
    public void dismiss() {
        ProcessTree.signal("INT", List.of(process.toHandle()));
        ProcessTree.awaitEnd(List.of(process.toHandle()), DISMISS_WITHIN);
        kill();
    }

    /** The JDK reports the process as alive until it has noticed the end. */
    private void reap() {
        try {
            process.waitFor(STOP_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ProcessReaper.ofThisJvm().forget(process.pid());
    }

    /**
     * Stops the whole process tree ({@code SIGSTOP}) and returns when it is stopped. Its connections stay open and
     * silent.
     */
    public void pause() {
        ProcessTree.pause(process.toHandle());
    }

    /** Resumes a paused process tree ({@code SIGCONT}) and returns when it is running. */
    public void resume() {
        ProcessTree.resume(process.toHandle());
    }

    /** The last lines that the program wrote to its log. */
    public String logTail(int lines) {
        try {
            List<String> all =
                    new String(Files.readAllBytes(command.log()), UTF_8).lines().toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    @Override
    public String toString() {
        return command.arguments().get(0) + " (pid " + pid() + ")";
    }
}
