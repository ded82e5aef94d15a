package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import io.lettuce.core.cluster.SlotHash;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of the keys in one namespace.
 *
 * <p>A lock is {@code lock:<name>} or {@code <namespace>:lock:<name>}, with {@code %}, <code>{</code> and <code>}</code> of the
 * name written as {@code %25}, {@code %7B} and {@code %7D}. So no name chooses its slot, and the side keys
 * <code>{&lt;lock>}:…</code> fall into the lock's. In a cluster each slot has a counter of its own, since a script may only touch one.
 */
final class RedisKeys {
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final String prefix;
    private final boolean cluster;
    private final String[] counters;
    private final String[] marks;

    RedisKeys(String namespace, boolean cluster) {
        this.prefix = namespace.isEmpty() ? "" : namespace + ':';
        this.cluster = cluster;
        int size = cluster ? SlotHash.SLOT_COUNT : 1;
        this.counters = new String[size];
        this.marks = new String[size];
        if (cluster) {
            nameSlots();
        } else {
            counters[0] = prefix + "interlock:counter";
            marks[0] = prefix + "interlock:quarantine";
        }
    }

    /** Refuses a namespace whose keys could be taken for another's. */
    static String check(String namespace) {
        Objects.requireNonNull(namespace, "namespace is null: leave it out to have none");
        if (!namespace.isEmpty() && (!NAMESPACE.matcher(namespace).matches() || namespace.equals("lock"))) {
            throw new IllegalArgumentException("Namespace \"" + namespace
                    + "\": choose 1 to 64 of letters, digits, dot, dash and underscore, and not \"lock\", since its locks"
                    + " would look like those of no namespace");
        }
        return namespace;
    }

    private void nameSlots() {
        int missing = SlotHash.SLOT_COUNT;
        for (int i = 0; missing > 0; i++) {
            String tag = Integer.toString(i, Character.MAX_RADIX);
            int slot = SlotHash.getSlot(tag);
            if (counters[slot] == null) {
                counters[slot] = prefix + "interlock:{" + tag + "}:counter";
                marks[slot] = prefix + "interlock:{" + tag + "}:quarantine";
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

    /** The lock that a key stands for; null if it is none of this namespace's, or one that no client of ours writes. */
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

    /** What {@code SCAN} must match for locks whose names begin like this; glob characters are taken literally. */
    String pattern(String namePrefix) {
        return glob(prefix + "lock:" + encode(namePrefix)) + '*';
    }

    /** The same for queues: a lock that nobody holds may be waited for. */
    String queuePattern(String namePrefix) {
        return '{' + glob(prefix + "lock:" + encode(namePrefix)) + "*}:q";
    }

    private static String glob(String literal) {
        return literal.replaceAll("([\\\\*?\\[\\]^-])", "\\\\$1");
    }

    /** The slot of a lock; 0 where there are no slots. */
    int slot(String lock) {
        return cluster ? SlotHash.getSlot(lock) : 0;
    }

    int slots() {
        return counters.length;
    }

    String counter(int slot) {
        return counters[slot];
    }

    String mark(int slot) {
        return marks[slot];
    }

    String terms() {
        return prefix + "interlock:terms";
    }

    String notes() {
        return prefix + "interlock:notes";
    }

    /** A key that no lock can have, to try commands on. */
    String probe() {
        return '{' + prefix + "lock:%probe}:";
    }

    String channel(String listener) {
        return prefix + "interlock:push:" + listener;
    }
}
