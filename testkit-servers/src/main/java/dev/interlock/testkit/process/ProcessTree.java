package dev.interlock.testkit.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Signals to processes and everything they have started. */
final class ProcessTree {
    private static final Duration END_WITHIN = Duration.ofSeconds(10);
    private static final long POLL_NANOS = 1_000_000;

    private ProcessTree() {}

    /** These processes and all their descendants. */
    static List<ProcessHandle> of(Collection<ProcessHandle> roots) {
        return roots.stream()
                .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
                .toList();
    }

    /** Sends a signal by its short name, such as {@code STOP}; those that have ended in the meantime do not matter. */
    static void signal(String name, Collection<ProcessHandle> processes) {
        List<String> line =
                new ArrayList<>(List.of("/bin/sh", "-c", "kill -" + name + " \"$@\" 2>/dev/null || true", "sh"));
        processes.forEach(handle -> line.add(Long.toString(handle.pid())));
        Programs.run(line, Path.of("/"));
    }

    /** Ends processes at once and waits until they are gone. */
    static void kill(Collection<ProcessHandle> roots) {
        List<ProcessHandle> all = of(roots);
        all.forEach(ProcessHandle::destroyForcibly);
        if (!awaitEnd(all, END_WITHIN)) {
            throw new IllegalStateException("Processes run 10 s after kill -9: " + all);
        }
    }

    /** Whether all of them ended within this time. */
    static boolean awaitEnd(Collection<ProcessHandle> processes, Duration within) {
        long deadline = System.nanoTime() + within.toNanos();
        while (processes.stream().anyMatch(ProcessTree::isRunning)) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    /** A process that nobody has reaped yet is dead all the same; the JDK would call it alive. */
    static boolean isRunning(ProcessHandle handle) {
        if (!handle.isAlive()) {
            return false;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(handle.pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return handle.isAlive();
        }
    }
}
