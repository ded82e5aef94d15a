package dev.interlock.testkit.workers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.testkit.history.EventLog;
import dev.interlock.testkit.process.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process that keeps a value per key and rejects stale tokens. Its log is the authoritative record of what took
 * effect.
 *
 * <p>The rule is that of the library's own guard: a larger token is accepted, and an equal one from the same owner. The
 * unfenced twin is the same program without the rule. It is the control that must show damage; if it does not, the
 * fault had no effect.
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class FencedResource implements AutoCloseable {
    private static final long START_SECONDS = 30;

    private final ChildProcess process;
    private final Path log;
    private final int port;

    private FencedResource(ChildProcess process, Path log, int port) {
        this.process = process;
        this.log = log;
        this.port = port;
    }

    /**
     * Starts a resource.
     *
     * @param log the file for its events; it must not exist
     * @param writer its name and number in the history; the role says whether it has a fence
     * @param capacity how many events the log can hold
     * @throws IllegalStateException if it does not start; the message has the end of its output
     */
    public static FencedResource start(Path log, EventLog.Writer writer, int capacity) {
        Path errors = log.resolveSibling(log.getFileName() + ".err");
        List<String> arguments = List.of(
                log.toAbsolutePath().toString(),
                Integer.toString(writer.number()),
                writer.name(),
                writer.role().name(),
                Integer.toString(capacity));
        ChildProcess process =
                ChildProcess.startTalking(Children.java(ResourceMain.class, List.of(), arguments, Map.of(), errors));
        try {
            return new FencedResource(process, log, Integer.parseInt(firstLine(process)));
        } catch (RuntimeException e) {
            process.kill();
            throw e;
        }
    }

    private static String firstLine(ChildProcess process) {
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> {
            try {
                return String.valueOf(new BufferedReader(new InputStreamReader(process.output(), UTF_8)).readLine());
            } catch (IOException e) {
                return e.toString();
            }
        });
        try {
            String port = line.get(START_SECONDS, TimeUnit.SECONDS);
            if (port.matches("[0-9]+")) {
                return port;
            }
            throw Children.failed("The resource printed \"" + port + "\" instead of its port.", process);
        } catch (TimeoutException | ExecutionException e) {
            throw Children.failed("The resource did not start within " + START_SECONDS + " s.", process);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the resource was starting", e);
        }
    }

    /** The loopback port where it serves. */
    public int port() {
        return port;
    }

    /** The file with its events. */
    public Path log() {
        return log;
    }

    /** The id of its process. */
    public long pid() {
        return process.pid();
    }

    /** Opens a connection. */
    public ResourceClient connect() {
        return ResourceClient.connect(port);
    }

    /** Ends the process; its log stays. */
    @Override
    public void close() {
        process.kill();
    }
}
