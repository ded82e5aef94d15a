package dev.interlock.redis;

import java.net.URI;
import java.util.List;
import java.util.UUID;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.util.SafeEncoder;

/** A foreign client with the commands of the common Redis lock recipe: {@code SET … NX PX} and compare-and-delete. */
final class ForeignClient implements AutoCloseable {
    private static final String COMPARE_AND_DELETE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    private final Jedis jedis;
    private final String key;
    private final String value = UUID.randomUUID().toString();

    ForeignClient(String uri, String key) {
        this.jedis = new Jedis(URI.create(uri));
        this.key = key;
    }

    boolean lock(long millis) {
        Object answer = jedis.sendCommand(Protocol.Command.SET, key, value, "NX", "PX", Long.toString(millis));
        return answer != null && SafeEncoder.encode((byte[]) answer).equals("OK");
    }

    /** Returns whether this client still held the lock. */
    boolean unlock() {
        return jedis.eval(COMPARE_AND_DELETE, List.of(key), List.of(value)).equals(1L);
    }

    @Override
    public void close() {
        jedis.close();
    }
}
