package dev.interlock.transactions;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Call sites in the application that were already warned about. Bounds the number of warnings. */
final class CallSites {
    private static final int MAX_SITES = 1_000;

    /** Frames that are not the application's: the JDK, the most common pool, and Interlock. */
    private static final List<String> SKIPPED = Stream.concat(
                    Stream.of(
                            "java.",
                            "javax.",
                            "jdk.",
                            "com.zaxxer.hikari.",
                            "dev.interlock.internal.",
                            "dev.interlock.lock."),
                    Stream.of(
                                    FencedRows.class,
                                    FenceTable.class,
                                    CallerTransaction.class,
                                    JdbcFence.class,
                                    LockWaitTimeout.class,
                                    CallSites.class,
                                    RowLocks.class,
                                    TransactionLeases.class,
                                    WatchedConnection.class)
                            .map(Class::getName))
            .toList();

    private static final StackWalker STACK = StackWalker.getInstance();

    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    /** Returns the innermost stack frame of the application. */
    static String current() {
        Optional<StackWalker.StackFrame> frame =
                STACK.walk(frames -> frames.filter(CallSites::isApplication).findFirst());
        return frame.map(it -> it.toStackTraceElement().toString()).orElse("an unknown call site");
    }

    private static boolean isApplication(StackWalker.StackFrame frame) {
        String name = frame.getClassName();
        return SKIPPED.stream()
                        .noneMatch(it -> it.endsWith(".") ? name.startsWith(it) : name.split("\\$", 2)[0].equals(it))
                && !name.contains("$Proxy");
    }

    /** Returns true once per call site, until the limit is reached. */
    boolean add(String site) {
        return seen.size() < MAX_SITES && seen.add(site);
    }
}
