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
 * The total order in which several keys are acquired: by rank, then by name. Keys without a rank come last.
 *
 * <p>Declare the lock types of an application here and pass the order to {@code Interlock.Builder.order}. All processes
 * that share a namespace must use the same order, or two of them could wait for each other. The order is therefore
 * stored in the namespace, and a process that swaps two types is refused when it is opened.
 *
 * <p>Immutable.
 *
 * @since 0.1.0
 */
public final class LockOrder implements Comparator<LockKey> {
    private static final LockOrder NONE = new LockOrder(Map.of(), false);

    /**
     * What an order knows about a key. All keys of a type share one place, because a lookup creates a substring per
     * colon of the name and each request makes several comparisons.
     */
    record Place(LockOrder order, Optional<LockType> type, long rank) {
        static final long UNRANKED = Long.MAX_VALUE;
    }

    private final Map<String, LockType> types;
    private final boolean closed;
    private final Map<String, Place> places = new HashMap<>();
    private final Place unranked = new Place(this, Optional.empty(), Place.UNRANKED);

    private LockOrder(Map<String, LockType> types, boolean closed) {
        this.types = types;
        this.closed = closed;
        types.forEach((name, type) -> {
            OptionalInt rank = type.rank();
            places.put(name, new Place(this, Optional.of(type), rank.isPresent() ? rank.getAsInt() : Place.UNRANKED));
        });
    }

    /** Returns an order without declared types: keys are ordered by name. */
    public static LockOrder none() {
        return NONE;
    }

    /**
     * Returns an order that ranks the lock types as listed, starting at 1.
     *
     * @throws IllegalArgumentException if a name is listed twice or is not valid
     */
    public static LockOrder of(String first, String... more) {
        LockType[] ranked = new LockType[more.length + 1];
        ranked[0] = LockType.ranked(first, 1);
        for (int i = 0; i < more.length; i++) {
            ranked[i + 1] = LockType.ranked(more[i], i + 2);
        }
        return of(Arrays.asList(ranked));
    }

    /**
     * Returns an order that ranks the constants of an enum as declared. {@link LockType#nameOf} gives their names.
     *
     * <p>Create keys with {@link LockKey#of(Enum, String)}, so that a misspelt type does not compile. The compile-time
     * checks read the same enum.
     *
     * @throws IllegalArgumentException if the enum has no constants, or if two of them have the same lock type name
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
     * Returns an order with the given lock types.
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

    /** Returns a copy of this order that refuses keys without a declared type. */
    public LockOrder closed() {
        return new LockOrder(types, true);
    }

    /** Returns whether keys without a declared type are refused. */
    public boolean isClosed() {
        return closed;
    }

    /** Returns the declared types, in the order of declaration. */
    public List<LockType> types() {
        return List.copyOf(types.values());
    }

    /** Returns the declared type of a key. If several types match, the longest name wins. */
    public Optional<LockType> typeOf(LockKey key) {
        return placeOf(key).type;
    }

    private Place placeOf(LockKey key) {
        if (places.isEmpty()) {
            return unranked;
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
        return unranked;
    }

    /**
     * Returns a negative number if the left key is acquired before the right one, and a positive number if after it.
     */
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
