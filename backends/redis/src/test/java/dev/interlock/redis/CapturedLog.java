package dev.interlock.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Captures all log records between start and stop, from every logger and at every level, with stack traces. */
final class CapturedLog extends Handler {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final SimpleFormatter format = new SimpleFormatter();
    private final List<Logger> loggers =
            List.of(Logger.getLogger("dev.interlock"), Logger.getLogger("io.lettuce"), Logger.getLogger(""));

    CapturedLog() {
        setLevel(Level.ALL);
    }

    void start() {
        loggers.get(0).setLevel(Level.ALL);
        loggers.get(2).addHandler(this);
    }

    void stop() {
        loggers.get(2).removeHandler(this);
        loggers.get(0).setLevel(null);
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(format.format(line));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
