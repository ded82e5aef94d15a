package dev.interlock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Proves that the simulation can fail: each planted bug is compiled into a copy of the engine, and a seed must find it.
 *
 * <p>A bug whose original text is no longer in the source fails too, so the list stays in step with the code.
 */
@Tag("full")
class PlantedBugsTest {
    private static final int SEEDS = 4_000;
    private static final Path SOURCES = Path.of("src/main/java/dev/interlock");
    private static final StringBuilder TABLE = new StringBuilder();

    @TempDir
    Path workspace;

    static List<PlantedBug> bugs() throws IOException {
        return PlantedBug.all();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bugs")
    void simulationCatchesPlantedBug(PlantedBug bug) throws Exception {
        Path broken = compile(bug);
        URL[] classPath = {url(broken), url(Path.of("target/classes")), url(Path.of("target/test-classes"))};
        try (URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            Method run =
                    loader.loadClass("dev.interlock.simulation.Simulation").getMethod("run", long.class, boolean.class);
            for (long tried = 0; tried <= SEEDS; tried++) {
                long seed = tried == 0 ? bug.seed() : tried;
                Object outcome = run.invoke(null, seed, false);
                List<?> violations =
                        (List<?>) outcome.getClass().getMethod("violations").invoke(outcome);
                if (!violations.isEmpty()) {
                    String found = violations.get(0).toString();
                    TABLE.append(String.format(
                            Locale.ROOT,
                            "%-60s seed %5d  %s%n",
                            bug.name(),
                            seed,
                            found.substring(0, found.indexOf(" at "))));
                    return;
                }
            }
        }
        assertThat(false).as("%d seeds did not find: %s", SEEDS, bug.name()).isTrue();
    }

    @AfterAll
    static void printTable() {
        System.getLogger("simulation")
                .log(System.Logger.Level.INFO, "Planted bugs, and the seed that found each:\n" + TABLE);
    }

    private Path compile(PlantedBug bug) throws IOException {
        Path source = SOURCES.resolve(bug.file());
        String text = Files.readString(source);
        assertThat(text.split(Pattern.quote(bug.original()), -1))
                .as("occurrences of the original text in %s", source)
                .hasSize(2);
        text = text.replace(bug.original(), bug.broken());
        Path mutant = workspace.resolve("src").resolve(source.getFileName());
        Path classes = workspace.resolve("classes");
        Files.createDirectories(mutant.getParent());
        Files.createDirectories(classes);
        Files.writeString(mutant, text);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
            boolean compiled = compiler.getTask(null, files, null, options, null, files.getJavaFileObjects(mutant))
                    .call();
            assertThat(compiled).as("%s compiles", bug.name()).isTrue();
        }
        return classes;
    }

    private static URL url(Path directory) throws MalformedURLException {
        return directory.toAbsolutePath().toUri().toURL();
    }
}
