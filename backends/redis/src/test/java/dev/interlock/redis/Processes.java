package dev.interlock.redis;

import dev.interlock.Interlock;
import dev.interlock.lock.LockListener;
import dev.interlock.lock.Locks;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Opens independent Interlocks, as several processes would, and closes them after the test. */
final class Processes implements AfterEachCallback {
    private final Deque<Interlock> open = new ConcurrentLinkedDeque<>();

    Interlock open(RedisBackend.Builder backend) {
        return open(backend, event -> {});
    }

    Interlock open(RedisBackend.Builder backend, LockListener listener) {
        Interlock interlock =
                Interlock.builder(backend.build()).listener(listener).build();
        open.push(interlock);
        return interlock;
    }

    Locks locks(RedisBackend.Builder backend) {
        return open(backend).locks();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
