package dev.interlock.bench.redis;

import dev.interlock.bench.ServerMeter;
import dev.interlock.testkit.servers.RedisServer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads what Redis says about itself ({@code INFO}).
 *
 * <p>Redis counts a command in the same place whether a client sent it or a script called it. So a meter is told which commands
 * the client of its contender sends by itself, and counts those as calls: scripts and subscriptions always, others where the
 * contender's scripts do not call them as well. Redisson sends a {@code DEL} beside each release that is not told apart from the
 * one in its script, and goes uncounted in its favour. What the server pushes to a subscriber is no call.
 */
final class RedisMeter implements ServerMeter {
    private static final Set<String> ALWAYS = Set.of(
            "eval",
            "evalsha",
            "fcall",
            "script|load",
            "subscribe",
            "unsubscribe",
            "psubscribe",
            "punsubscribe",
            "ssubscribe",
            "sunsubscribe");

    private static final String COMMAND = "cmdstat_";

    /** How the names of all locks begin; what stands before it in a key is the contender's. */
    private static final String LOCK = "bench:";

    private final RedisServer server;
    private final Set<String> sentByClient;

    /** For a contender whose client sends these commands, too, and whose scripts do not call them. */
    RedisMeter(RedisServer server, Set<String> alsoSentByClient) {
        this.server = server;
        this.sentByClient = new HashSet<>(ALWAYS);
        this.sentByClient.addAll(alsoSentByClient);
    }

    @Override
    public Reading read() {
        Map<String, String> lines = new HashMap<>();
        server.command("INFO", "commandstats", "cpu").lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                lines.put(line.substring(0, colon), line.substring(colon + 1));
            }
        });
        double calls = 0;
        double commands = 0;
        for (Map.Entry<String, String> line : lines.entrySet()) {
            if (line.getKey().startsWith(COMMAND)) {
                String name = line.getKey().substring(COMMAND.length());
                double count = field(line.getValue(), "calls");
                calls += sentByClient.contains(name) ? count : 0;
                commands += name.equals("info") ? 0 : count;
            }
        }
        double cpu = seconds(lines, "used_cpu_user") + seconds(lines, "used_cpu_sys");
        return new Reading(calls, commands, cpu);
    }

    /**
     * How many of these locks a server has a key for, whoever made it. Not how many keys it has: those of an earlier step, which have not
     * expired yet, would stand in for locks that are lost.
     */
    static long held(RedisServer server, Set<String> names) {
        return server.command("KEYS", "*")
                .lines()
                .map(key -> key.substring(Math.max(0, key.lastIndexOf(LOCK))))
                .filter(names::contains)
                .count();
    }

    private static double seconds(Map<String, String> lines, String name) {
        return Double.parseDouble(lines.getOrDefault(name, "0"));
    }

    /** One of {@code calls=21,usec=175,…}. */
    private static double field(String line, String name) {
        for (String part : line.split(",", -1)) {
            if (part.startsWith(name + '=')) {
                return Double.parseDouble(part.substring(name.length() + 1));
            }
        }
        throw new IllegalArgumentException("There is no " + name + " in " + line);
    }
}
