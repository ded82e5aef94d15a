package dev.interlock.jdbc.tx;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Places in the application's code, each of which is warned about once; the number of warnings is bounded. */
final class Places {
    private static final int MOST = 1_000;

    /** What lies between the application and us: the platform, the pool that most have, and our own classes. */
    private static final List<String> BETWEEN = Stream.concat(
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
                                    InTransaction.class,
                                    JdbcFence.class,
                                    LockWait.class,
                                    Places.class,
                                    RowLocks.class,
                                    TransactionLeases.class,
                                    WatchedConnection.class)
                            .map(Class::getName))
            .toList();

    private static final StackWalker STACK = StackWalker.getInstance();

    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    /** Where the application called us from. */
    static String here() {
        Optional<StackWalker.StackFrame> frame =
                STACK.walk(frames -> frames.filter(Places::isTheirs).findFirst());
        return frame.map(it -> it.toStackTraceElement().toString()).orElse("an unknown place");
    }

    private static boolean isTheirs(StackWalker.StackFrame frame) {
        String name = frame.getClassName();
        return BETWEEN.stream()
                        .noneMatch(it -> it.endsWith(".") ? name.startsWith(it) : name.split("\\$", 2)[0].equals(it))
                && !name.contains("$Proxy");
    }

    /** Whether this is the first time. */
    boolean isNew(String place) {
        return seen.size() < MOST && seen.add(place);
    }
}
