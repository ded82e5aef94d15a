package dev.interlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Any reply of Redis: a {@link Long}, a {@link String}, null, or a list of these. */
final class RedisReply extends CommandOutput<String, String, Object> {
    private record Frame(List<@Nullable Object> items, int size) {}

    private @Nullable Deque<Frame> open;
    private @Nullable Object result;

    RedisReply() {
        super(StringCodec.UTF8, null);
    }

    @Override
    @SuppressWarnings("NullAway") // a null reply is a reply
    public @Nullable Object get() {
        return result;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        add(bytes == null ? null : StandardCharsets.UTF_8.decode(bytes).toString());
    }

    @Override
    public void set(long integer) {
        add(integer);
    }

    @Override
    public void multi(int count) {
        List<@Nullable Object> items = new ArrayList<>(Math.max(0, count));
        add(items);
        if (count > 0) {
            if (open == null) {
                open = new ArrayDeque<>(4);
            }
            open.push(new Frame(items, count));
        }
    }

    private void add(@Nullable Object item) {
        Deque<Frame> frames = open;
        if (frames == null) {
            result = item;
            return;
        }
        // A nested list is filled after it was added, so a frame is popped only when the next item finds it full.
        Frame frame = frames.peek();
        while (frame != null && frame.items().size() == frame.size()) {
            frames.pop();
            frame = frames.peek();
        }
        if (frame != null) {
            frame.items().add(item);
        }
    }

    static List<?> list(@Nullable Object reply) {
        if (reply instanceof List<?> list) {
            return list;
        }
        throw new IllegalStateException("Expected a list from Redis, got " + reply);
    }

    static long number(@Nullable Object reply) {
        if (reply instanceof Long number) {
            return number;
        }
        throw new IllegalStateException("Expected a number from Redis, got " + reply);
    }

    static String text(@Nullable Object reply) {
        if (reply instanceof String text) {
            return text;
        }
        throw new IllegalStateException("Expected a string from Redis, got " + reply);
    }
}
