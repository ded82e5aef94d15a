package dev.interlock.errorprone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.BaseErrorProneJavaCompiler;
import com.google.errorprone.scanner.ScannerSupplier;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles the main code of this project with all four checks: false reports would show here.
 *
 * <p>Test code is excluded, and so are the cases of the conformance kits. They leave leases open on purpose in about
 * two hundred places, because they test locks that are lost, abandoned and contended.
 */
@Tag("slow")
@Tag("full")
class OwnCodeTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final List<String> MODULES = List.of(
            "core",
            "testkit",
            "testkit-servers",
            "transactions",
            "backends/redis",
            "backends/jdbc",
            "tools/bench",
            "tools/cli",
            "integrations/errorprone");
    private static final Pattern CASES = Pattern.compile("Cases?\\.java$");
    private static final BaseErrorProneJavaCompiler COMPILER =
            new BaseErrorProneJavaCompiler(ScannerSupplier.fromBugCheckerClasses(
                    InterlockIgnoredTry.class,
                    InterlockLockOrder.class,
                    InterlockReleaseInTransaction.class,
                    InterlockUnclosedLease.class));

    @TempDir
    Path output;

    @Test
    void onlyPlantedMistakesAreReported() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : MODULES) {
            List<Path> found = sourcesOf(ROOT.resolve(module).resolve("src/main/java"));
            assertThat(found).as("source files of " + module).isNotEmpty();
            sources.addAll(found);
        }
        assertThat(sources).hasSizeGreaterThan(500);

        assertThat(findings(sources))
                .satisfiesExactlyInAnyOrder(
                        one -> assertThat(one).contains("Planted.java:2", "[InterlockIgnoredTry]"),
                        two -> assertThat(two).contains("Planted.java:3", "[InterlockLockOrder]"));
    }

    private List<String> findings(List<Path> sources) throws IOException {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = COMPILER.getStandardFileManager(found, Locale.ROOT, UTF_8)) {
            List<JavaFileObject> all = new ArrayList<>(List.of(new Planted()));
            files.getJavaFileObjectsFromPaths(sources).forEach(all::add);
            COMPILER.getTask(null, files, found, options(), null, all).call();
        }
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(OwnCodeTest::describe)
                .toList();
    }

    private List<String> options() {
        List<String> options = new ArrayList<>(List.of("-proc:none", "-Xlint:none", "-XDcompilePolicy=simple"));
        options.addAll(List.of("--should-stop=ifError=FLOW", "-d", output.toString(), "-cp", classPath()));
        // Without an order, the order check would not analyze the code.
        options.add("-XepOpt:Interlock:Order=" + OrderSourceTest.CompiledTypes.class.getCanonicalName());
        for (String hidden : List.of("api", "code", "tree", "util")) {
            options.add("--add-exports=jdk.compiler/com.sun.tools.javac." + hidden + "=ALL-UNNAMED");
        }
        return options;
    }

    private static String describe(Diagnostic<? extends JavaFileObject> problem) {
        JavaFileObject file = problem.getSource();
        return (file == null ? "" : file.getName()) + ":" + problem.getLineNumber() + ": "
                + problem.getMessage(Locale.ROOT);
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Everything except the cases of the kits and module-info files, because all modules are one compilation here. */
    private static List<Path> sourcesOf(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("module-info.java"))
                    .filter(file -> !CASES.matcher(file.toString()).find())
                    .toList();
        }
    }

    /** Shows that the checks were on. */
    private static final class Planted extends SimpleJavaFileObject {
        Planted() {
            super(URI.create("string:///Planted.java"), Kind.SOURCE);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return """
                    import dev.interlock.lock.*; class Planted { void m(Locks locks, LockKey key) {
                      locks.tryAcquire(key);
                      locks.run(LockKey.of("item", "1"), one -> locks.run(LockKey.of("character", "1"), two -> {}));
                    }}
                    """;
        }
    }
}
