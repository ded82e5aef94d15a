package dev.interlock.lock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

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

    /**
     * What an order says of a key. There is one per type, which all its keys share: looking it up takes a piece of the key's name per colon, and several
     * comparisons are made for each lock.
     */
    record Place(LockOrder order, Optional<LockType> type, long rank) {
        static final long UNRANKED = Long.MAX_VALUE;
    }

    private final Map<String, LockType> types;
    private final boolean closed;
    private final Map<String, Place> places = new HashMap<>();
    private final Place nowhere = new Place(this, Optional.empty(), Place.UNRANKED);

    private LockOrder(Map<String, LockType> types, boolean closed) {
        this.types = types;
        this.closed = closed;
        types.forEach((name, type) -> {
            OptionalInt rank = type.rank();
            places.put(name, new Place(this, Optional.of(type), rank.isPresent() ? rank.getAsInt() : Place.UNRANKED));
        });
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
     * Ranks the constants of an enum in the order of their declaration, under the names that {@link LockType#nameOf} gives them. Keys are
     * made with {@link LockKey#of(Enum, String)}, so that a misspelt type does not compile; the compile-time check reads the same enum.
     *
     * @throws IllegalArgumentException if there is no constant, or two have the same name in lower case
     */
    public static <T extends Enum<T>> LockOrder of(Class<T> types) {
        Objects.requireNonNull(types, "types is null: give the enum that declares the lock types");
        List<LockType> ranked = new ArrayList<>();
        for (T constant : types.getEnumConstants()) {
            ranked.add(LockType.ranked(LockType.nameOf(constant), ranked.size() + 1));
        }
        if (ranked.isEmpty()) {
            throw new IllegalArgumentException(
                    types.getName() + " has no constants: declare one for each lock type, in their order");
        }
        return of(ranked);
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
        return placeOf(key).type;
    }

    private Place placeOf(LockKey key) {
        if (places.isEmpty()) {
            return nowhere;
        }
        Place known = key.place;
        if (known != null && known.order == this) {
            return known;
        }
        Place place = lookUp(key.name());
        key.place = place;
        return place;
    }

    private Place lookUp(String name) {
        for (int end = name.length(); end > 0; end = name.lastIndexOf(':', end - 1)) {
            Place place = places.get(name.substring(0, end));
            if (place != null) {
                return place;
            }
        }
        return nowhere;
    }

    /** Which of two keys is taken first. */
    @Override
    public int compare(LockKey left, LockKey right) {
        if (types.isEmpty()) {
            return left.compareTo(right);
        }
        int byRank = Long.compare(placeOf(left).rank, placeOf(right).rank);
        return byRank != 0 ? byRank : left.compareTo(right);
    }

    @Override
    public String toString() {
        return "LockOrder" + types.keySet() + (closed ? ", closed" : "");
    }
}
