package dev.interlock.testkit.workers;

import dev.interlock.testkit.process.ChildProcess;
import dev.interlock.testkit.process.Command;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Child JVMs that run a class of this class path and end with the JVM that started them. */
final class Children {
    /** Small, and quick to start. */
    private static final List<String> OPTIONS = List.of("-Xmx128m", "-XX:+UseSerialGC", "-Xshare:auto");

    /** For processes that are too short-lived for optimised code. */
    static final String COMPILE_QUICKLY = "-XX:TieredStopAtLevel=1";

    private Children() {}

    /** Returns a command that runs the class with these arguments; its errors go to the log. */
    static Command java(
            Class<?> main, List<String> options, List<String> arguments, Map<String, String> variables, Path log) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(OPTIONS);
        line.addAll(options);
        line.addAll(List.of("-cp", classPath(), main.getName()));
        line.addAll(arguments);
        Path folder = log.toAbsolutePath().getParent();
        return new Command(line, variables, folder == null ? Path.of(".") : folder, log);
    }

    /** Absolute, because the child runs in another folder. */
    private static String classPath() {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getProperty("java.class.path"))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    static IllegalStateException failed(String what, ChildProcess child) {
        return new IllegalStateException(what + "\n--- the last lines of its log:\n" + child.logTail(40));
    }

    /**
     * Called in the child: ends the process when its standard input ends. The child must not read its input otherwise.
     */
    static void endWithInput() {
        Thread thread = new Thread(() -> drain(System.in), "end-with-input");
        thread.setDaemon(true);
        thread.start();
    }

    private static void drain(InputStream input) {
        try {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // A failed read means the same as the end.
        }
        Runtime.getRuntime().halt(0);
    }
}
