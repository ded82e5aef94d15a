package dev.interlock.lock;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What is logged until it is closed. */
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

    /** In their order; also of tests that run beside this one. */
    List<String> messages() {
        return messages;
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
