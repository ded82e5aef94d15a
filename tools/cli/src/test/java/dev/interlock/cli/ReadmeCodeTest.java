package dev.interlock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles every Java block in the README and under {@code docs}.
 *
 * <p>The syntax of a block decides whether it is compiled as types, as statements or as members of a class. Statements
 * and members are compiled together with {@code readme-preamble.java.txt}: its imports, and the variables that readers
 * understand without a declaration. No block can be excluded: text that does not compile must not be marked as
 * {@code java}.
 */
@Tag("slow")
class ReadmeCodeTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern PUBLIC_TYPE =
            Pattern.compile("^public\\s+(?:\\w+\\s+)*?(?:class|record|interface|enum)\\s+(\\w+)", Pattern.MULTILINE);
    private static final String MARK = "/*code*/";
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    private final String preamble = readPreamble();

    @TempDir
    Path output;

    @TestFactory
    Stream<DynamicTest> everyBlockCompiles() throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages()) {
            blocks.addAll(blocksOf(ROOT.relativize(page).toString(), Files.readAllLines(page)));
        }
        assertThat(blocks).as("blocks of Java in README.md and docs").isNotEmpty();
        return blocks.stream()
                .map(block -> DynamicTest.dynamicTest(
                        block.place(), () -> assertThat(errorsIn(block)).isEmpty()));
    }

    @Test
    void errorIsReportedAtItsLineInThePage() throws IOException {
        List<Block> blocks = blocksOf(
                "page.md", List.of("Text", "```java", "import java.util.List;", "int x = 1;", "x.nothing();", "```"));

        assertThat(blocks).hasSize(1);
        assertThat(errorsIn(blocks.get(0))).singleElement().asString().startsWith("page.md:5: ");
    }

    @Test
    void typesMembersAndStatementsAreDistinguished() throws IOException {
        String type = "record Stock2(String sku) {}";
        String member = "void restock(String sku) {}";
        String statement = "for (int i = 0; i < 2; i++) { System.out.println(i); }";

        assertThat(Stream.of(type, member, statement)
                        .map(code -> new Block("page.md", 1, List.of(code)))
                        .map(this::wrap)
                        .map(source -> source.contains("class Snippet"))
                        .toList())
                .containsExactly(false, true, true);
        assertThat(errorsIn(new Block("page.md", 1, List.of(type)))).isEmpty();
        assertThat(errorsIn(new Block("page.md", 1, List.of(member)))).isEmpty();
        assertThat(errorsIn(new Block("page.md", 1, List.of(statement)))).isEmpty();
    }

    // ---------------------------------------------------------------- finding

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        Path docs = ROOT.resolve("docs");
        if (Files.isDirectory(docs)) {
            try (Stream<Path> files = Files.walk(docs)) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
            }
        }
        return pages;
    }

    private static List<Block> blocksOf(String page, List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        List<String> code = null;
        boolean java = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.startsWith("```")) {
                if (code != null) {
                    code.add(lines.get(i));
                }
            } else if (code == null) {
                code = new ArrayList<>();
                java = line.substring(3).strip().split("\\s+", -1)[0].equals("java");
            } else {
                if (java) {
                    blocks.add(new Block(page, i + 1 - code.size(), code));
                }
                code = null;
            }
        }
        return blocks;
    }

    /** One fenced block. {@code line} is the line number of its first line of code, counted from 1. */
    private record Block(String page, int line, List<String> code) {
        String place() {
            return page + ":" + line;
        }
    }

    // ---------------------------------------------------------------- compiling

    private List<String> errorsIn(Block block) throws IOException {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        String source = wrap(block);
        Matcher named = PUBLIC_TYPE.matcher(source);
        JavaFileObject unit = new Source(named.find() ? named.group(1) : "Snippet", source);
        List<String> options =
                List.of("--release", "17", "-proc:none", "-Xlint:none", "-d", output.toString(), "-cp", classPath());
        COMPILER.getTask(null, null, found, options, null, List.of(unit, new Source("Preamble", preamble)))
                .call();
        long offset = firstLineOfCode(source) - block.line();
        return found.getDiagnostics().stream()
                .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                .map(problem -> message(problem, unit, block, offset))
                .toList();
    }

    private static String message(
            Diagnostic<? extends JavaFileObject> problem, JavaFileObject unit, Block block, long offset) {
        String text = problem.getMessage(null);
        return unit.equals(problem.getSource())
                ? block.page() + ":" + (problem.getLineNumber() - offset) + ": " + text
                : "readme-preamble.java.txt:" + problem.getLineNumber() + ": " + text;
    }

    /** The block as a compilation unit. Its lines stay together, so that errors can be mapped to lines of the page. */
    private String wrap(Block block) {
        String all = String.join("\n", block.code());
        String body =
                block.code().stream().map(line -> isImport(line) ? "" : line).collect(joining("\n"));
        String hoisted = block.code().stream().filter(ReadmeCodeTest::isImport).collect(joining("\n"));
        String imports = preamble.lines().filter(ReadmeCodeTest::isImport).collect(joining("\n"));
        if (parses(all)) {
            boolean packaged = block.code().stream().anyMatch(line -> line.startsWith("package "));
            return packaged ? MARK + all : imports + "\n" + MARK + all;
        }
        String start = imports + "\n" + hoisted + "\n";
        String statements = start + "class Snippet extends Preamble { static void snippet() throws Exception {\n" + MARK
                + body + "\n}}";
        return parses(statements) ? statements : start + "class Snippet extends Preamble {\n" + MARK + body + "\n}";
    }

    private static long firstLineOfCode(String source) {
        return source.substring(0, source.indexOf(MARK)).lines().count() + 1;
    }

    private static boolean isImport(String line) {
        return line.startsWith("import ");
    }

    private static boolean parses(String source) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavacTask task = (JavacTask) COMPILER.getTask(
                null, null, found, List.of("--release", "17", "-proc:none"), null, List.of(new Source("Any", source)));
        try {
            task.parse();
        } catch (IOException e) {
            throw new IllegalStateException("Could not read a source in memory.", e);
        }
        return found.getDiagnostics().stream().noneMatch(problem -> problem.getKind() == Diagnostic.Kind.ERROR);
    }

    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private static String readPreamble() {
        try (InputStream in = ReadmeCodeTest.class.getResourceAsStream("/readme-preamble.java.txt")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("Could not read the preamble.", e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
