package dev.interlock.lock;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The name of the thing that a lock protects.
 *
 * <p>A name usually consists of a type and an id joined by {@code :}, for example {@code inventory:sku-1}. It has 1 to
 * {@value #MAX_BYTES} bytes in UTF-8, no control characters and no lone surrogates. (Java encodes every lone surrogate
 * as {@code ?}, so two different names would share one lock.) Keys are equal if their names are equal:
 * {@code of("payment:order", "7")} and {@code of("payment:order:7")} are the same key. {@link LockOrder} decides which
 * lock type a key belongs to.
 *
 * <p>Keys are ordered by the bytes of their UTF-8 form, which is the same in every locale and on every store.
 *
 * <p>Immutable.
 *
 * @since 0.1.0
 */
public final class LockKey implements Comparable<LockKey> {
    /** The maximum length of a name, in bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    private final String name;
    private final int hash;

    /**
     * A cache of the place of this key in the {@link LockOrder} that was last used with it. It is written without
     * synchronization: the place is immutable and names its order, and a thread that does not see it looks it up again.
     */
    LockOrder.@Nullable Place place;

    private LockKey(String name) {
        this.name = name;
        this.hash = name.hashCode();
    }

    /**
     * Returns the key {@code type:id}.
     *
     * @throws IllegalArgumentException if a part is empty or the name is not valid
     */
    public static LockKey of(String type, String id) {
        Objects.requireNonNull(
                type, "type is null: a lock key is a type and an id, for example \"inventory\" and a SKU");
        Objects.requireNonNull(id, "id is null: a lock key is a type and an id, for example \"inventory\" and a SKU");
        if (type.isEmpty() || id.isEmpty()) {
            throw new IllegalArgumentException("Lock key with an empty "
                    + (type.isEmpty() ? "type" : "id")
                    + ": give both, or use LockKey.of(name) for a lock without an id");
        }
        return of(type + ':' + id);
    }

    /**
     * Returns a key of a lock type that is declared as an enum constant; see {@link LockOrder#of(Class)}.
     *
     * @throws IllegalArgumentException if the id is empty or the name is not valid
     */
    public static LockKey of(Enum<?> type, String id) {
        Objects.requireNonNull(type, "type is null: give a constant of the enum that declares the lock types");
        return of(LockType.nameOf(type), id);
    }

    /**
     * Returns the key with the given complete name.
     *
     * @throws IllegalArgumentException if the name is empty, is longer than {@value #MAX_BYTES} bytes, or contains
     *     control characters or lone surrogates
     */
    public static LockKey of(String name) {
        Objects.requireNonNull(name, "name is null: a lock key needs a name");
        LockNames.check("Lock key", name, MAX_BYTES);
        return new LockKey(name);
    }

    /** Returns the complete name, for example {@code inventory:sku-1}. */
    public String name() {
        return name;
    }

    @Override
    public int compareTo(LockKey other) {
        return LockNames.compare(name, other.name);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof LockKey key && hash == key.hash && name.equals(key.name));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return name;
    }
}
