package dev.interlock.lock;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The total order in which several keys are taken: rank first, then name; unranked types after ranked ones.
 *
 * <p>Every process that shares a namespace must use the same order, or two of them could wait for each other;
 * the order is therefore recorded in the store, and a process that swaps two types is refused at its start.
 *
 * <p>Immutable.
 */
public final class LockOrder implements Comparator<LockKey> {
    private static final LockOrder NONE = new LockOrder(Map.of(), false);

    private final Map<String, LockType> types;
    private final boolean closed;

    private LockOrder(Map<String, LockType> types, boolean closed) {
        this.types = types;
        this.closed = closed;
    }

    /** No declared types: keys are taken in the order of their names. */
    public static LockOrder none() {
        return NONE;
    }

    /** Ranks the types in the order given, starting at 1. */
    public static LockOrder of(String first, String... more) {
        LockType[] ranked = new LockType[more.length + 1];
        ranked[0] = LockType.ranked(first, 1);
        for (int i = 0; i < more.length; i++) {
            ranked[i + 1] = LockType.ranked(more[i], i + 2);
        }
        return of(Arrays.asList(ranked));
    }

    /**
     * Declares the given types.
     *
     * @throws IllegalArgumentException if a name is declared twice
     */
    public static LockOrder of(Collection<LockType> types) {
        Map<String, LockType> byName = new LinkedHashMap<>();
        for (LockType type : types) {
            Objects.requireNonNull(type, "A lock type is null: remove it from the order");
            if (byName.put(type.name(), type) != null) {
                throw new IllegalArgumentException(
                        "Lock type \"" + type.name() + "\" is declared twice: keep one of them");
            }
        }
        return new LockOrder(byName, false);
    }

    /** This order, refusing keys that belong to no declared type. */
    public LockOrder closed() {
        return new LockOrder(types, true);
    }

    /** Whether keys of undeclared types are refused. */
    public boolean isClosed() {
        return closed;
    }

    /** The declared types, in the order of declaration. */
    public List<LockType> types() {
        return List.copyOf(types.values());
    }

    /** The declared type that covers this key: the one with the longest name. */
    public Optional<LockType> typeOf(LockKey key) {
        if (types.isEmpty()) {
            return Optional.empty();
        }
        String name = key.name();
        for (int end = name.length(); end > 0; end = name.lastIndexOf(':', end - 1)) {
            LockType type = types.get(name.substring(0, end));
            if (type != null) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    /** Which of two keys is taken first. */
    @Override
    public int compare(LockKey left, LockKey right) {
        if (types.isEmpty()) {
            return left.compareTo(right);
        }
        int byRank = Long.compare(rankOf(left), rankOf(right));
        return byRank != 0 ? byRank : left.compareTo(right);
    }

    private long rankOf(LockKey key) {
        Optional<LockType> type = typeOf(key);
        return type.isPresent() && type.get().rank().isPresent()
                ? type.get().rank().getAsInt()
                : Long.MAX_VALUE;
    }

    @Override
    public String toString() {
        return "LockOrder" + types.keySet() + (closed ? ", closed" : "");
    }
}
