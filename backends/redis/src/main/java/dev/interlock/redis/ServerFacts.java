package dev.interlock.redis;

import java.util.HashMap;
import java.util.Map;

/** What a server reports about itself in {@code INFO}. */
final class ServerFacts {
    private static final int[] MIN_VERSION = {6, 2};

    private final Map<String, String> facts = new HashMap<>();

    ServerFacts(String info) {
        for (String line : info.lines().toList()) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                facts.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
    }

    private String fact(String name) {
        return facts.getOrDefault(name, "");
    }

    private long number(String name) {
        try {
            return Long.parseLong(fact(name));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    String runId() {
        return fact("run_id");
    }

    String version() {
        return fact("redis_version");
    }

    boolean isAtLeast(int major, int minor) {
        String[] parts = (version() + ".0.0").split("\\.", 3);
        try {
            int serverMajor = Integer.parseInt(parts[0]);
            return serverMajor > major || (serverMajor == major && Integer.parseInt(parts[1]) >= minor);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    boolean isTooOld() {
        return !isAtLeast(MIN_VERSION[0], MIN_VERSION[1]);
    }

    boolean isPrimary() {
        return fact("role").equals("master");
    }

    boolean isLoading() {
        return fact("loading").equals("1");
    }

    boolean isCluster() {
        return fact("cluster_enabled").equals("1");
    }

    long uptimeSeconds() {
        return number("uptime_in_seconds");
    }

    /** Whether this is a promoted replica of the other server. */
    boolean succeeds(ServerFacts other) {
        return fact("master_replid2").equals(other.fact("master_replid"));
    }

    /**
     * Whether the server has been primary without interruption since the earlier facts: every promotion changes its
     * replication id.
     */
    boolean isSamePrimary(ServerFacts earlier) {
        return isPrimary() && fact("master_replid").equals(earlier.fact("master_replid"));
    }

    boolean writesLog() {
        return fact("aof_enabled").equals("1");
    }

    /** Whether the server evicts keys when memory runs short. An evicted lock disappears without notice. */
    boolean evicts() {
        return number("maxmemory") > 0 && !evictionPolicy().equals("noeviction");
    }

    String evictionPolicy() {
        return fact("maxmemory_policy");
    }
}
