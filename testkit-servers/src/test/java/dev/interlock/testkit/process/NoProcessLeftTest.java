package dev.interlock.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Runs in a JVM of its own after the one that ran all other tests, and checks that no process that was started there is
 * left. Every process is in the list, including those of tests that kill their own JVM.
 */
class NoProcessLeftTest {
    private static final String LIST = "interlock.started.processes";

    @Test
    void everyProcessThatWasStartedHasEnded() throws Exception {
        List<String> started = Files.readAllLines(Path.of(System.getProperty(LIST)));
        assertThat(started).as("processes started by the tests before").isNotEmpty();

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(started).noneMatch(NoProcessLeftTest::isRunning));
        System.out.println("Processes started: " + started.size() + ", left: 0");
    }

    /** The id may belong to another process by now, which started later. */
    private static boolean isRunning(String line) {
        int blank = line.indexOf(' ');
        Optional<ProcessHandle> handle = ProcessHandle.of(Long.parseLong(line.substring(0, blank)));
        Instant began = Instant.parse(line.substring(blank + 1));
        return handle.filter(ProcessTree::isRunning)
                .flatMap(it -> it.info().startInstant())
                .filter(began::equals)
                .isPresent();
    }
}
