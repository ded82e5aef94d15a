package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.servers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Closing an Interlock logs no warning and leaves no connection open. */
@Tag("server")
class QuietCloseTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    @Test
    void closingLogsNothingAndLeavesNoConnection() {
        long before = connections();
        CapturedLog log = new CapturedLog();
        log.start();
        try {
            for (int i = 0; i < 5; i++) {
                try (Interlock interlock = Interlock.over(RedisBackend.connect(redis.uri()))) {
                    interlock.locks().acquire(LockKey.of("quiet")).close();
                }
                await().until(() -> connections() <= before);
            }
        } finally {
            log.stop();
        }
        assertThat(log.lines()).noneMatch(line -> line.contains("WARNING") || line.contains("already closed"));
    }

    private static long connections() {
        return List.of(redis.command("CLIENT", "LIST").split("\n")).size();
    }
}
