package dev.interlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every example runs and prints what it shows. */
class QuickstartTest {
    @FunctionalInterface
    private interface Example {
        void run(String[] args) throws Exception;
    }

    @Test
    @Tag("server")
    void singleLock() throws Exception {
        assertThat(printed(SingleLock::main)).contains("The warehouse gets it: false", "The warehouse got it: true");
    }

    @Test
    void severalLocks() throws Exception {
        assertThat(printed(SeveralLocks::main)).containsExactly("400 transfers, no deadlock");
    }

    @Test
    void lossOfALock() throws Exception {
        assertThat(printed(LossOfALock::main))
                .anyMatch(line -> line.startsWith("Notified: "))
                .anyMatch(line -> line.startsWith("Stopped: ") && line.contains("import:customers"));
    }

    @Test
    @Tag("server")
    void fencingOnPostgres() throws Exception {
        assertThat(printed(FencingOnPostgres::main))
                .anyMatch(line -> line.endsWith("writes: accepted"))
                .anyMatch(line -> line.contains("writes: refused. "));
    }

    @Test
    void leader() throws Exception {
        assertThat(printed(Leader::main)).contains("Instance one has resigned", "Leader is two: true");
    }

    @Test
    void scheduledJob() throws Exception {
        assertThat(printed(ScheduledJob::main))
                .containsExactly(
                        "Instance 1 writes the report",
                        "Instance 1 ran: true",
                        "Instance 2 ran: false",
                        "Instance 3 ran: false");
    }

    @Test
    void permits() throws Exception {
        assertThat(printed(Permits::main)).containsExactly("10 calls, at most 3 at once: true");
    }

    @Test
    void everyExampleIsRunHere() throws Exception {
        long tests = Stream.of(QuickstartTest.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .count();
        try (Stream<Path> files = Files.list(Path.of("src/main/java/dev/interlock/examples"))) {
            assertThat(files.filter(file -> !file.endsWith("package-info.java")))
                    .hasSize((int) tests - 1);
        }
    }

    /** What an example prints. Tests of this class run one after the other, so the stream is theirs. */
    private static List<String> printed(Example example) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            example.run(new String[0]);
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
