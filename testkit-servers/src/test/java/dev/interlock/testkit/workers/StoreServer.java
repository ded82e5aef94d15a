package dev.interlock.testkit.workers;

import dev.interlock.testkit.process.ChildProcess;
import dev.interlock.testkit.process.Folders;
import dev.interlock.testkit.process.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A process with the in-memory backend, for the length of a test class. Processes that connect to its port share its
 * locks.
 */
final class StoreServer implements BeforeAllCallback, AfterAllCallback, AutoCloseable {
    private static final Duration START_WITHIN = Duration.ofSeconds(20);

    private final int port = Ports.free();
    private Path folder;
    private ChildProcess process;

    int port() {
        return port;
    }

    StoreServer start() {
        if (folder == null) {
            folder = Folders.temporary("store");
        }
        process = ChildProcess.start(Children.java(
                StoreServerMain.class,
                List.of(),
                List.of(Integer.toString(port)),
                Map.of(),
                folder.resolve("store.log")));
        long deadline = System.nanoTime() + START_WITHIN.toNanos();
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw Children.failed("The store on port " + port + " did not start.", process);
            }
            LockSupport.parkNanos(5_000_000);
        }
        return this;
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    void kill() {
        process.kill();
    }

    void pause() {
        process.pause();
    }

    void resume() {
        process.resume();
    }

    @Override
    public void close() {
        process.kill();
        Folders.delete(folder);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        // Called again for nested classes.
        if (process == null) {
            start();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (context.getTestClass().map(Class::isMemberClass).orElse(false)) {
            return;
        }
        close();
    }
}
