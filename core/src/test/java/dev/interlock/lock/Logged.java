package dev.interlock.lock;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the log messages until it is closed. */
final class Logged implements AutoCloseable {
    private final Logger logger = Logger.getLogger("dev.interlock");
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            messages.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    Logged() {
        logger.addHandler(handler);
    }

    /** Returns the messages in order. They include those of tests that run at the same time. */
    List<String> messages() {
        return messages;
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
