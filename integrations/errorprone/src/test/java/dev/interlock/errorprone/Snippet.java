package dev.interlock.errorprone;

import com.google.errorprone.CompilationTestHelper;
import com.google.errorprone.bugpatterns.BugChecker;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Members of a class, compiled with one check against the real classes of core.
 *
 * <p>A line that ends with {@code // BUG <text>} must be reported with this text. No other line may be reported.
 */
final class Snippet {
    private static final String MARK = "// BUG ";
    private static final List<String> HEAD = List.of(
            "package com.acme;",
            "import dev.interlock.Interlock;",
            "import dev.interlock.lock.*;",
            "import java.time.Duration;",
            "import java.util.*;",
            "import java.util.concurrent.*;",
            "abstract class Shop {",
            "  Locks locks;",
            "  FenceGuard fence;",
            "  Executor executor;",
            "  abstract void work();",
            "  abstract boolean maybe();",
            "  abstract void use(Object anything);");

    private final CompilationTestHelper helper;
    private List<String> declared = List.of();

    private Snippet(Class<? extends BugChecker> check) {
        helper = CompilationTestHelper.newInstance(check, Snippet.class);
    }

    static Snippet checkedBy(Class<? extends BugChecker> check) {
        return new Snippet(check);
    }

    /** Members that come before the others. */
    Snippet declaring(String... members) {
        declared = List.of(members);
        return this;
    }

    Snippet with(String option) {
        helper.setArgs(option);
        return this;
    }

    /** Another file of the same compilation. */
    Snippet beside(String path, String source) {
        helper.addSourceLines(path, marked(source.lines()).toArray(String[]::new));
        return this;
    }

    /** Compiles these members and compares the reports with the comments. */
    void compile(String members) {
        List<String> lines = new ArrayList<>(HEAD);
        lines.addAll(declared);
        lines.addAll(marked(members.lines()));
        lines.add("}");
        helper.addSourceLines("com/acme/Shop.java", lines.toArray(String[]::new));
        helper.doTest();
    }

    private static List<String> marked(Stream<String> lines) {
        return lines.flatMap(line -> {
                    int mark = line.indexOf(MARK);
                    return mark < 0
                            ? Stream.of(line)
                            : Stream.of(
                                    "// BUG: Diagnostic contains: " + line.substring(mark + MARK.length()),
                                    line.substring(0, mark));
                })
                .toList();
    }
}
