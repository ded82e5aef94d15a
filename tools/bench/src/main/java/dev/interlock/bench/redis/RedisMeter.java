package dev.interlock.bench.redis;

import dev.interlock.bench.ServerMeter;
import dev.interlock.testkit.servers.RedisServer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Reads the counters of Redis ({@code INFO}).
 *
 * <p>Redis counts a command the same way whether a client sent it or a script called it. The meter therefore counts as
 * calls only the commands that the client of its contender sends: scripts and subscriptions always, others if the
 * contender's scripts do not call them too. Redisson sends a {@code DEL} with each release that cannot be distinguished
 * from the one in its script; it is not counted, in Redisson's favour. Messages that the server pushes to subscribers
 * are not calls.
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

    /** The prefix of all lock names. What precedes it in a key was added by the contender. */
    private static final String LOCK = "bench:";

    private final RedisServer server;
    private final Set<String> sentByClient;

    /** For a contender whose client also sends these commands and whose scripts do not call them. */
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
     * Counts how many of these locks have a key on the server. Counts by name: keys of an earlier step that have not
     * expired yet would otherwise replace lost locks in the count.
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
