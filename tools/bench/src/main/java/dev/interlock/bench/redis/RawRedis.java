package dev.interlock.bench.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** One plain Lettuce connection, shared by all threads of a minimal lock. Thread-safe. */
final class RawRedis implements AutoCloseable {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private final RedisClient client;
    private final RedisAsyncCommands<String, String> commands;
    private final String owner = UUID.randomUUID() + ":";
    private final AtomicLong values = new AtomicLong();

    RawRedis(String uri) {
        client = RedisClient.create(uri);
        // A timer per command costs a tenth of the whole. Callers of answer() have their own time limit.
        client.setOptions(ClientOptions.builder()
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .build());
        StatefulRedisConnection<String, String> connection = client.connect();
        commands = connection.async();
    }

    RedisAsyncCommands<String, String> commands() {
        return commands;
    }

    /** Returns a value that no other acquisition uses, in any process. */
    String uniqueValue() {
        return owner + values.incrementAndGet();
    }

    /** Loads a script of this package. */
    Script script(String name) {
        try (InputStream resource = Objects.requireNonNull(
                RawRedis.class.getResourceAsStream(name), () -> "the script " + name + " is missing")) {
            return new Script(answer(commands.scriptLoad(new String(resource.readAllBytes(), UTF_8))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A loaded script. */
    final class Script {
        private final String sha;

        private Script(String sha) {
            this.sha = sha;
        }

        /** Runs the script. */
        long run(String[] keys, String... values) {
            RedisFuture<Long> answer = commands.evalsha(sha, ScriptOutputType.INTEGER, keys, values);
            return answer(answer);
        }
    }

    /** Waits for the reply. */
    static <T> T answer(RedisFuture<T> future) {
        try {
            return future.get(ANSWER_WITHIN.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for Redis", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("Redis did not answer", e);
        }
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
