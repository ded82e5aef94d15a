package dev.interlock.redis;

import java.util.HashMap;
import java.util.Map;

/** What a server says of itself in {@code INFO}. */
final class ServerFacts {
    private static final int[] OLDEST = {6, 2};

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
            int theirs = Integer.parseInt(parts[0]);
            return theirs > major || (theirs == major && Integer.parseInt(parts[1]) >= minor);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    boolean isTooOld() {
        return !isAtLeast(OLDEST[0], OLDEST[1]);
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

    /** Whether it carries on where the other left off: a replica that was promoted. */
    boolean succeeds(ServerFacts other) {
        return fact("master_replid2").equals(other.fact("master_replid"));
    }

    /** Whether it has been a primary all the time since the other was told: every promotion gives it another name. */
    boolean isSamePrimary(ServerFacts earlier) {
        return isPrimary() && fact("master_replid").equals(earlier.fact("master_replid"));
    }

    boolean writesLog() {
        return fact("aof_enabled").equals("1");
    }

    /** Whether it throws keys away when memory runs short: locks then vanish without a word. */
    boolean evicts() {
        return number("maxmemory") > 0 && !evictionPolicy().equals("noeviction");
    }

    String evictionPolicy() {
        return fact("maxmemory_policy");
    }
}
