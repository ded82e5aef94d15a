package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import io.lettuce.core.cluster.SlotHash;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The Redis keys of one namespace.
 *
 * <p>A lock is {@code lock:<name>} or {@code <namespace>:lock:<name>}. In the name, {@code %}, <code>{</code> and
 * <code>}</code> are written as {@code %25}, {@code %7B} and {@code %7D}. So a name cannot choose its slot, and the
 * side keys <code>{&lt;lock>}:…</code> are in the slot of their lock. In a cluster each slot has its own counter,
 * because a script may only use the keys of one slot.
 */
final class RedisKeys {
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final String prefix;
    private final boolean cluster;
    private final String[] counters;
    private final String[] quarantines;

    RedisKeys(String namespace, boolean cluster) {
        this.prefix = namespace.isEmpty() ? "" : namespace + ':';
        this.cluster = cluster;
        int size = cluster ? SlotHash.SLOT_COUNT : 1;
        this.counters = new String[size];
        this.quarantines = new String[size];
        if (cluster) {
            findSlotTags();
        } else {
            counters[0] = prefix + "interlock:counter";
            quarantines[0] = prefix + "interlock:quarantine";
        }
    }

    /** Rejects a namespace whose keys could be mistaken for those of another. */
    static String check(String namespace) {
        Objects.requireNonNull(namespace, "namespace is null: leave it out to use none");
        if (!namespace.isEmpty() && (!NAMESPACE.matcher(namespace).matches() || namespace.equals("lock"))) {
            throw new IllegalArgumentException("Namespace \"" + namespace
                    + "\": choose 1 to 64 letters, digits, dots, dashes and underscores, and not \"lock\", whose locks"
                    + " would look like those without a namespace");
        }
        return namespace;
    }

    private void findSlotTags() {
        int missing = SlotHash.SLOT_COUNT;
        for (int i = 0; missing > 0; i++) {
            String tag = Integer.toString(i, Character.MAX_RADIX);
            int slot = SlotHash.getSlot(tag);
            if (counters[slot] == null) {
                counters[slot] = prefix + "interlock:{" + tag + "}:counter";
                quarantines[slot] = prefix + "interlock:{" + tag + "}:quarantine";
                missing--;
            }
        }
    }

    String lock(LockKey key) {
        String name = key.name();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == '%' || c == '{' || c == '}') {
                return prefix + "lock:" + encode(name);
            }
        }
        return prefix + "lock:" + name;
    }

    static String encode(String name) {
        return name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
    }

    /** The lock of a Redis key; null if the key is not a lock of this namespace, or not one that Interlock writes. */
    @Nullable
    LockKey key(String lock) {
        if (!lock.startsWith("lock:", prefix.length()) || !lock.startsWith(prefix)) {
            return null;
        }
        String encoded = lock.substring(prefix.length() + "lock:".length());
        String name = encoded.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
        try {
            return encode(name).equals(encoded) ? LockKey.of(name) : null;
        } catch (IllegalArgumentException notAName) {
            return null;
        }
    }

    /** The {@code SCAN} pattern for locks whose names have this prefix. Glob characters in it match literally. */
    String pattern(String namePrefix) {
        return glob(prefix + "lock:" + encode(namePrefix)) + '*';
    }

    /** The same for queues, because a lock without a holder can have waiters. */
    String queuePattern(String namePrefix) {
        return '{' + glob(prefix + "lock:" + encode(namePrefix)) + "*}:q";
    }

    private static String glob(String literal) {
        return literal.replaceAll("([\\\\*?\\[\\]^-])", "\\\\$1");
    }

    /** The slot of a key; 0 outside a cluster. */
    int slot(String lock) {
        return cluster ? SlotHash.getSlot(lock) : 0;
    }

    int slots() {
        return counters.length;
    }

    String counter(int slot) {
        return counters[slot];
    }

    String quarantine(int slot) {
        return quarantines[slot];
    }

    String agreement() {
        return prefix + "interlock:agreement";
    }

    String waitReports() {
        return prefix + "interlock:wait-reports";
    }

    /** The prefix of keys that no lock can have, on which the permission check tries commands. */
    String probe() {
        return '{' + prefix + "lock:%probe}:";
    }

    String channel(String listener) {
        return prefix + "interlock:push:" + listener;
    }
}
