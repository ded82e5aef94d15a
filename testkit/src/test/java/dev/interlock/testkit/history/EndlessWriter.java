package dev.interlock.testkit.history;

import java.io.IOException;
import java.nio.file.Path;

/** A process that records until {@link EventLogTest} kills it. */
final class EndlessWriter {
    static final int THREADS = 3;
    static final int MANY = 10_000;

    private EndlessWriter() {}

    public static void main(String[] args) throws IOException {
        EventLog log = EventLog.create(Path.of(args[0]), EventLog.Writer.client(1, "endless"), 20_000_000);
        for (int thread = 0; thread < THREADS; thread++) {
            int first = thread;
            new Thread(() -> write(log, first), "writer " + thread).start();
        }
        while (log.size() < 2 * MANY) {
            Thread.onSpinWait();
        }
        System.out.println("going");
        System.out.flush();
    }

    private static void write(EventLog log, int first) {
        for (long i = 1; ; i++) {
            long attempt = i * THREADS + first;
            int key = log.nameId("key " + i / 100);
            long header = Op.header(Op.ACQUIRE, Op.Phase.OK, 0, Op.Cause.NONE, key);
            log.append(header, System.nanoTime(), attempt, 1, attempt, -attempt, 1, 1);
        }
    }
}
