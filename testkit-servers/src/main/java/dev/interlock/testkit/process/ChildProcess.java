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
 * <p>Invariant: the {@link Keeper} knows the process before the program starts. The child begins as a shell that waits for one
 * line; it gets that line only after it was reported, and goes away by itself if the line never comes. The shell then becomes
 * the program, so {@link #pid()} is the program's.
 *
 * <p>Signals go to the whole tree: PostgreSQL, for one, answers from processes of its own. Thread-safe.
 */
public final class ChildProcess {
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);
    private static final Duration DISMISS_WITHIN = Duration.ofSeconds(1);

    /** A session of its own keeps Ctrl-C in a terminal from reaching the servers before the tests have ended. */
    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final Process process;
    private final Command command;

    private ChildProcess(Process process, Command command) {
        this.process = process;
        this.command = command;
    }

    /**
     * Starts the program; its output goes to the log of the command.
     *
     * @throws UncheckedIOException if the shell cannot be started; a program that does not exist shows as one that has ended
     */
    public static ChildProcess start(Command command) {
        return start(command, Redirect.appendTo(command.log().toFile()));
    }

    /** Starts a program whose standard output is read with {@link #output()}; only its errors go to the log. */
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
            Keeper.ofThisJvm().watch(process.pid());
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

    /** Whether the program runs; one that is paused does. */
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

    /** Ends the program and all its children at once, as {@code kill -9} does, and waits until they are gone. */
    public void kill() {
        ProcessTree.kill(List.of(process.toHandle()));
        reap();
    }

    /** Asks the program to end ({@code SIGTERM}) and waits; after ten seconds it is killed. */
    public void stop() {
        process.destroy();
        ProcessTree.awaitEnd(List.of(process.toHandle()), STOP_WITHIN);
        kill();
    }

    /**
     * Ends a program that is not needed any more: it is interrupted, and killed if that does not help soon. PostgreSQL gives its
     * shared memory back only if it may say goodbye.
     */
    public void dismiss() {
        ProcessTree.signal("INT", List.of(process.toHandle()));
        ProcessTree.awaitEnd(List.of(process.toHandle()), DISMISS_WITHIN);
        kill();
    }

    /** Until the JDK has taken notice of the end, it calls the process alive. */
    private void reap() {
        try {
            process.waitFor(STOP_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Keeper.ofThisJvm().forget(process.pid());
    }

    /**
     * Stops the whole tree in its tracks ({@code SIGSTOP}) and returns once it stands still; its connections stay open and
     * silent.
     */
    public void pause() {
        ProcessTree.pause(process.toHandle());
    }

    /** Lets a paused tree go on ({@code SIGCONT}) and returns once it does. */
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
