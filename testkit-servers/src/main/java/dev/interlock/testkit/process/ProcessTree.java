package dev.interlock.testkit.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Sends signals to processes and their descendants. */
final class ProcessTree {
    private static final Duration END_WITHIN = Duration.ofSeconds(10);
    private static final long POLL_NANOS = 1_000_000;
    private static final char STOPPED = 'T';
    private static final char ZOMBIE = 'Z';
    private static final char UNKNOWN = '?';

    private ProcessTree() {}

    /** These processes and all their descendants. */
    static List<ProcessHandle> of(Collection<ProcessHandle> roots) {
        return roots.stream()
                .flatMap(root -> Stream.concat(Stream.of(root), root.descendants()))
                .toList();
    }

    /** Sends a signal by its short name, such as {@code STOP}. Processes that have ended are ignored. */
    static void signal(String name, Collection<ProcessHandle> processes) {
        List<String> line =
                new ArrayList<>(List.of("/bin/sh", "-c", "kill -" + name + " \"$@\" 2>/dev/null || true", "sh"));
        processes.forEach(handle -> line.add(Long.toString(handle.pid())));
        Programs.run(line, Path.of("/"));
    }

    /** Stops a process and its descendants, and returns when all of them are stopped. */
    static void pause(ProcessHandle root) {
        // Repeated, because a process may have started another one while the first ones were being stopped.
        until("stop", () -> {
            List<ProcessHandle> moving =
                    of(List.of(root)).stream().filter(it -> !isStopped(it)).toList();
            if (!moving.isEmpty()) {
                signal("STOP", moving);
            }
            return moving.isEmpty();
        });
    }

    /** Resumes a process and its descendants, and returns when all of them are running. */
    static void resume(ProcessHandle root) {
        List<ProcessHandle> all = of(List.of(root));
        signal("CONT", all);
        until("resume", () -> all.stream().noneMatch(it -> isRunning(it) && isStopped(it)));
    }

    private static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + END_WITHIN.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("Processes did not " + what + " within " + END_WITHIN + ".");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Kills processes and waits until they are gone. */
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

    /** A process that was not reaped yet is dead, although the JDK reports it as alive. */
    static boolean isRunning(ProcessHandle handle) {
        return handle.isAlive() && state(handle) != ZOMBIE;
    }

    /** A dead process counts as stopped. */
    private static boolean isStopped(ProcessHandle handle) {
        return !isRunning(handle) || state(handle) == STOPPED;
    }

    /** The state as the kernel reports it. A process that ends during the call counts as a zombie. */
    private static char state(ProcessHandle handle) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(handle.pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return handle.isAlive() ? UNKNOWN : ZOMBIE;
        }
    }
}
