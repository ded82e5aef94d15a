package dev.interlock.testkit.checked;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.workers.WorkerBackend;
import dev.interlock.testkit.workers.WorkerSetup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Connects through another {@link WorkerBackend}, in a process that keeps writing its wall clock to a file. Public
 * because worker processes load it by name.
 *
 * @since 0.1.0
 */
public final class ClockReportingBackend implements WorkerBackend {
    private static final String FILE = "INTERLOCK_TEST_CLOCK_FILE";
    private static final String DELEGATE = "INTERLOCK_TEST_CLOCK_BACKEND";
    private static final long INTERVAL_NANOS = 50_000_000;

    /** Called in the worker process. */
    public ClockReportingBackend() {}

    /** Returns the setup of workers that connect as before and report their wall clock to the file. */
    static WorkerSetup reportTo(Path file, WorkerSetup setup) {
        return new WorkerSetup(
                        ClockReportingBackend.class.getName(),
                        setup.address(),
                        setup.namespace(),
                        setup.jvmOptions(),
                        setup.variables())
                .withVariable(FILE, file.toString())
                .withVariable(DELEGATE, setup.backend());
    }

    /** By how much the reported clock is ahead of the host's; zero before the first report. */
    static Duration aheadOfHost(Path file) {
        try {
            String millis = Files.exists(file) ? Files.readString(file) : "";
            return millis.isEmpty()
                    ? Duration.ZERO
                    : Duration.ofMillis(Long.parseLong(millis) - System.currentTimeMillis());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Backend connect(String address, String namespace) {
        Path file = Path.of(System.getenv(FILE));
        Thread reporter = new Thread(() -> report(file), "clock-reporter");
        reporter.setDaemon(true);
        reporter.start();
        return WorkerSetup.connect(System.getenv(DELEGATE), address, namespace);
    }

    private static void report(Path file) {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        while (true) {
            try {
                Files.writeString(next, Long.toString(System.currentTimeMillis()));
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                return;
            }
            LockSupport.parkNanos(INTERVAL_NANOS);
        }
    }
}
