package dev.interlock.errorprone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Builds a separate project with Maven, set up as the documentation says. It fails with mistakes in the code and
 * compiles without them.
 *
 * <p>Nothing is downloaded or installed. The build uses the plugins that this build has already used, and a local
 * repository that links to the real one for everything except Interlock.
 */
@Tag("full")
class SampleProjectTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final int LONGEST_BUILD_SECONDS = 120;

    @TempDir
    Path folder;

    private LocalRepository repository;

    @BeforeEach
    void setUpProject() throws IOException {
        repository = LocalRepository.borrowing(
                Path.of(property("interlock.local-repository")), folder.resolve("repository"));
        repository.add("interlock-parent", ROOT.resolve("pom.xml"));
        repository.add("interlock-core", ROOT.resolve("core/pom.xml"), ROOT.resolve("core/target/classes"));
        repository.add("interlock-errorprone", Path.of("pom.xml"), Path.of("target/classes"));
        copy(Path.of("src/test/sample"), folder.resolve("game"));
    }

    @AfterEach
    void cleanUp() throws IOException {
        repository.close();
    }

    @Nested
    class OnTheDefaultJdk {
        @Test
        void mistakesDoNotCompile() throws Exception {
            violate();
            assertMistakesAreReported(build(System.getProperty("java.home")));
        }

        @Test
        void correctedCodeCompiles() throws Exception {
            assertBuilt(build(System.getProperty("java.home")));
        }
    }

    @Nested
    class OnJdk25 {
        @Test
        void mistakesDoNotCompile() throws Exception {
            violate();
            assertMistakesAreReported(build(jdk25()));
        }

        @Test
        void correctedCodeCompiles() throws Exception {
            assertBuilt(build(jdk25()));
        }
    }

    private static void assertMistakesAreReported(Build build) {
        assertThat(build.exit()).as(build.output()).isNotZero();
        assertThat(build.output())
                .contains(
                        "COMPILATION ERROR",
                        "[InterlockLockOrder] This call leads to line 23.",
                        "against the declared order (character, item, bank-account)",
                        "[InterlockUnclosedLease]",
                        "[InterlockIgnoredTry]",
                        "[InterlockReleaseInTransaction]");
    }

    private static void assertBuilt(Build build) {
        assertThat(build.exit()).as(build.output()).isZero();
        assertThat(build.output()).contains("BUILD SUCCESS").doesNotContain("[Interlock");
    }

    /** Replaces the correct file with the one that has the mistakes. */
    private void violate() throws IOException {
        copy(folder.resolve("game/violating"), folder.resolve("game"));
    }

    private record Build(int exit, String output) {}

    private Build build(String javaHome) throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        ProcessBuilder maven = new ProcessBuilder(
                        property("maven.home") + "/bin/mvn",
                        "--batch-mode",
                        "--offline",
                        "-Dmaven.repo.local=" + folder.resolve("repository"),
                        "-Dinterlock.version=" + property("interlock.version"),
                        "compile")
                .directory(folder.resolve("game").toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        // Options of the outer build must not affect this one.
        maven.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        maven.environment().put("JAVA_HOME", javaHome);
        maven.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"); // quick to start
        Process process = maven.start();
        try {
            boolean ended = process.waitFor(LONGEST_BUILD_SECONDS, TimeUnit.SECONDS);
            String text = Files.readString(output);
            assertThat(ended).as("ended in time: " + text).isTrue();
            return new Build(process.exitValue(), text);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String jdk25() {
        Stream<String> named = Stream.ofNullable(System.getenv("JDK25_HOME"));
        File[] installed = new File("/usr/lib/jvm").listFiles((home, name) -> name.contains("25"));
        Stream<String> found =
                Stream.of(installed == null ? new File[0] : installed).map(File::getPath);
        List<String> homes = Stream.concat(named, found)
                .filter(home -> new File(home, "bin/javac").canExecute())
                .toList();
        assumeTrue(!homes.isEmpty(), "needs JDK 25: none is in JDK25_HOME or /usr/lib/jvm");
        return homes.get(0);
    }

    private static String property(String name) {
        return Objects.requireNonNull(
                System.getProperty(name), () -> name + " is not set: run this test with Maven, which sets it");
    }

    private static void copy(Path from, Path to) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(from)) {
            all = files.filter(Files::isRegularFile).toList();
        }
        for (Path each : all) {
            Path target = to.resolve(from.relativize(each));
            Files.createDirectories(target.getParent());
            Files.deleteIfExists(target);
            Files.copy(each, target);
        }
    }
}
