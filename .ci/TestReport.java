import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Adds up Surefire's reports: a table of tests by module and JDK, the skipped tests by reason, and one last line.
 *
 * <p>Usage: {@code java TestReport.java <allowed-skips> <label>=<reports directory>…}, run in the root of the project.
 * Exits with 1 when a test failed, when one was skipped for a reason that is not allowed, or when a label has no test.
 */
final class TestReport {
    /** What the platform and JUnit put before the reason that a test gave. */
    private static final Pattern PREFIX = Pattern.compile("^(?:org\\.opentest4j\\.TestAbortedException: ?)?"
            + "(?:Assumption failed: ?)?(?:Disabled on JRE version: \\S+ ==> )?");

    private static final int MESSAGE_LINES = 12;

    private final List<Pattern> allowed = new ArrayList<>();
    private final Map<String, Integer> reasons = new TreeMap<>();
    private final List<String> complaints = new ArrayList<>();
    private final Counts total = new Counts();

    public static void main(String[] args) throws Exception {
        TestReport report = new TestReport();
        report.readAllowed(Path.of(args[0]));
        System.out.printf("%-14s %-24s %8s %8s %8s%n", "", "module", "run", "failed", "skipped");
        for (int i = 1; i < args.length; i++) {
            String[] column = args[i].split("=", 2);
            report.add(column[0], column[1]);
        }
        report.finish();
    }

    private void readAllowed(Path file) throws IOException {
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                allowed.add(Pattern.compile(line.strip()));
            }
        }
    }

    private void add(String label, String directory) throws Exception {
        Map<String, Counts> modules = new TreeMap<>();
        DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        for (Path file : reports(directory)) {
            Path module = file.getParent().getParent().getParent();
            String name = module.getNameCount() == 0 || module.toString().isEmpty() ? "." : module.toString();
            addSuite(parser.parse(file.toFile()), label, modules.computeIfAbsent(name, key -> new Counts()));
        }
        modules.forEach((module, counts) -> {
            System.out.printf(
                    "%-14s %-24s %8d %8d %8d%n", label, module, counts.run(), counts.failed, counts.skipped);
            total.passed += counts.passed;
            total.failed += counts.failed;
            total.skipped += counts.skipped;
        });
        if (modules.isEmpty()) {
            complaints.add("No test ran on " + label + ".");
        }
    }

    private static List<Path> reports(String directory) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(Path.of(""), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                boolean skip = dir.endsWith(".git") || dir.endsWith("src") || dir.endsWith("node_modules");
                return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                if (name.startsWith("TEST-")
                        && name.endsWith(".xml")
                        && file.getParent().endsWith(Path.of("target", directory))) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    private void addSuite(Document suite, String label, Counts counts) {
        NodeList cases = suite.getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
            Element test = (Element) cases.item(i);
            String name = test.getAttribute("classname") + "." + test.getAttribute("name");
            if (has(test, "failure") || has(test, "error")) {
                counts.failed++;
                complaints.add("Failed on " + label + ": " + name + message(test));
            } else if (has(test, "skipped")) {
                counts.skipped++;
                addSkip((Element) test.getElementsByTagName("skipped").item(0), label, name);
            } else {
                counts.passed++;
            }
        }
    }

    /** Returns the first lines of the failure, indented: a log that was cut still says why. */
    private static String message(Element test) {
        Element failure = (Element)
                test.getElementsByTagName(has(test, "failure") ? "failure" : "error").item(0);
        StringBuilder message = new StringBuilder();
        failure.getTextContent().strip().lines().limit(MESSAGE_LINES).forEach(line -> message.append("\n        ")
                .append(line));
        return message.toString();
    }

    private void addSkip(Element skipped, String label, String name) {
        String text = skipped.getAttribute("message");
        if (text.isEmpty()) {
            text = skipped.getTextContent().strip().lines().findFirst().orElse("");
        }
        String reason = PREFIX.matcher(text).replaceFirst("").strip();
        if (allowed.stream().anyMatch(pattern -> pattern.matcher(reason).lookingAt())) {
            reasons.merge(reason, 1, Integer::sum);
        } else {
            complaints.add("Skipped on " + label + " for a reason that is not in .ci/allowed-skips: " + name + " ("
                    + (reason.isEmpty() ? "no reason given" : reason) + ")");
        }
    }

    private static boolean has(Element test, String tag) {
        return test.getElementsByTagName(tag).getLength() > 0;
    }

    private void finish() {
        if (!reasons.isEmpty()) {
            System.out.printf("%nSkipped, as allowed:%n");
            reasons.forEach((reason, count) -> System.out.printf("%5d  %s%n", count, reason));
        }
        if (!complaints.isEmpty()) {
            System.out.println();
            complaints.forEach(System.out::println);
        }
        System.out.printf("%n%d passed, %d failed, %d skipped%n", total.passed, total.failed, total.skipped);
        System.exit(complaints.isEmpty() ? 0 : 1);
    }

    private static final class Counts {
        private int passed;
        private int failed;
        private int skipped;

        int run() {
            return passed + failed;
        }
    }
}
