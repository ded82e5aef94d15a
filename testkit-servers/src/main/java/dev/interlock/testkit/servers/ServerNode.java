package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.ChildProcess;
import dev.interlock.testkit.process.Command;
import dev.interlock.testkit.process.Folders;
import dev.interlock.testkit.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One server process on loopback that a test may kill, pause and restart.
 *
 * <p>Invariants: the port and the folder stay the same over restarts; after {@link #start()} or a restart the server
 * answers. A node that is shared by all tests of the JVM refuses every fault.
 *
 * <p>Thread-safe; concurrent faults run one after the other.
 *
 * @since 0.1.0
 */
public final class ServerNode {
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 10_000_000;
    private static final int LOG_LINES = 30;

    private final Recipe recipe;
    private final boolean shared;
    private final int port = Ports.free();
    private final Path folder;
    private final Path data;
    private final @Nullable ServerClock clock;
    private final ReentrantLock changing = new ReentrantLock();
    private volatile @Nullable ChildProcess process;

    ServerNode(Recipe recipe, boolean shared, boolean steppableClock) {
        this.recipe = recipe;
        this.shared = shared;
        this.folder = Folders.temporary("server");
        this.data = folder.resolve("data");
        this.clock = steppableClock ? new ServerClock(folder) : null;
    }

    /** Always loopback. */
    public String host() {
        return "127.0.0.1";
    }

    /** The port it listens on. */
    public int port() {
        return port;
    }

    /** Host and port, joined by a colon. */
    public String address() {
        return host() + ":" + port;
    }

    /** The folder with the server's data. */
    public Path dataFolder() {
        return data;
    }

    /** The id of the running process. */
    public long pid() {
        return running().pid();
    }

    /** Whether the process is running; a paused process is. */
    public boolean isAlive() {
        ChildProcess now = process;
        return now != null && now.isAlive();
    }

    /** The server's wall clock, if the fixture was started with a steppable one. */
    public ServerClock clock() {
        if (clock == null) {
            throw new IllegalStateException(
                    "The clock of " + this + " is the host's; ask the fixture for steppableClock() before it starts.");
        }
        return clock;
    }

    /** The last lines of the server's log. */
    public String log() {
        ChildProcess now = process;
        return now == null ? "(never started)" : now.logTail(LOG_LINES);
    }

    /** Kills the process ({@code kill -9}); what it had not written to disk is lost. */
    public void kill() {
        fault(() -> running().kill());
    }

    /** Asks the process to end, so that it saves what it saves in an orderly shutdown. */
    public void stop() {
        fault(() -> running().stop());
    }

    /** Pauses the process ({@code SIGSTOP}): connections stay open and requests are not answered. */
    public void pause() {
        fault(() -> running().pause());
    }

    /** Resumes a paused process. */
    public void resume() {
        fault(() -> running().resume());
    }

    /**
     * Starts the process again after {@link #kill()} or {@link #stop()}, on its old data, and waits until it answers.
     */
    public void start() {
        fault(this::launch);
    }

    /** Kills the process and starts it again on its data. */
    public void restart() {
        fault(() -> {
            running().kill();
            launch();
        });
    }

    /** Kills the process, deletes its data and starts it again. */
    public void restartEmpty() {
        fault(() -> {
            running().kill();
            Folders.delete(data);
            launch();
        });
    }

    private void fault(Runnable change) {
        if (shared) {
            throw new IllegalStateException(this
                    + " is shared by all tests of this JVM. A test that disturbs it needs own() instead of shared().");
        }
        exclusively(change);
    }

    private void exclusively(Runnable change) {
        changing.lock();
        try {
            change.run();
        } finally {
            changing.unlock();
        }
    }

    private void launch() {
        spawn();
        awaitReady();
    }

    /** Starts the process. The nodes of a quorum answer only when enough of them are running. */
    void spawn() {
        if (isAlive()) {
            throw new IllegalStateException(this + " is already running.");
        }
        prepareOnce();
        process = ChildProcess.start(new Command(commandLine(), Map.of(), folder, folder.resolve("server.log")));
    }

    /** The variables are set for the program only: those of the clock would disturb the programs that start it. */
    private List<String> commandLine() {
        List<String> line = new ArrayList<>(List.of("/usr/bin/env"));
        recipe.variables().forEach((name, value) -> line.add(name + "=" + value));
        if (clock != null) {
            clock.variables().forEach((name, value) -> line.add(name + "=" + value));
        }
        line.addAll(recipe.command(data, port));
        return recipe.refusesRoot() ? Root.dropped(line) : line;
    }

    private void prepareOnce() {
        if (Files.isDirectory(data)) {
            return;
        }
        try {
            Files.createDirectory(data);
            recipe.prepare(data, port);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not set up " + recipe.name(), e);
        }
    }

    void awaitReady() {
        long deadline = System.nanoTime() + READY_WITHIN.toNanos();
        while (!isReady()) {
            if (!isAlive()) {
                throw new IllegalStateException(this + " ended while it started:\n" + log());
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(this + " did not answer within 60 s:\n" + log());
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private boolean isReady() {
        try {
            return recipe.isReady(data, port);
        } catch (IOException e) {
            return false;
        }
    }

    private ChildProcess running() {
        ChildProcess now = process;
        if (now == null) {
            throw new IllegalStateException(this + " has not been started.");
        }
        return now;
    }

    /** Ends the process and deletes its folder. */
    void close() {
        exclusively(() -> {
            if (process != null) {
                process.dismiss();
                ServerClock.forget(process.pid());
            }
            Folders.delete(folder);
        });
    }

    @Override
    public String toString() {
        return recipe.name() + " on " + address();
    }
}
