package dev.interlock.lock;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The name of a thing to protect; validated once, escaped by backends.
 *
 * <p>A name is one string of 1 to {@value #MAX_BYTES} bytes of UTF-8 without control characters and
 * without lone surrogates (Java would fold those into {@code ?}, and two different names would share a
 * lock). {@code of("payment:order", "7")} and {@code of("payment:order:7")} are the same key: keys are
 * equal when their names are equal. Which type a key belongs to is decided by {@link LockOrder}, not here.
 *
 * <p>Keys compare by the bytes of their UTF-8 form, the same in every locale and on every store.
 */
public final class LockKey implements Comparable<LockKey> {
    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    private final String name;
    private final int hash;

    /**
     * Where the order that was asked last puts this key. Written without a lock: it is immutable, says itself of which order it is, and whoever does
     * not see it looks it up again.
     */
    LockOrder.@Nullable Place place;

    private LockKey(String name) {
        this.name = name;
        this.hash = name.hashCode();
    }

    /**
     * A key of the given type and id, named {@code type:id}.
     *
     * @throws IllegalArgumentException if a part is empty or the whole name is not valid
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
     * A key of a type that is declared as an enum constant, see {@link LockOrder#of(Class)}.
     *
     * @throws IllegalArgumentException if the id is empty or the whole name is not valid
     */
    public static LockKey of(Enum<?> type, String id) {
        Objects.requireNonNull(type, "type is null: give a constant of the enum that declares the lock types");
        return of(LockType.nameOf(type), id);
    }

    /**
     * A key with the given whole name.
     *
     * @throws IllegalArgumentException if the name is empty, longer than {@value #MAX_BYTES} bytes, or has
     *     control characters or lone surrogates
     */
    public static LockKey of(String name) {
        Objects.requireNonNull(name, "name is null: a lock key needs a name");
        LockNames.check("Lock key", name, MAX_BYTES);
        return new LockKey(name);
    }

    /** The whole name, for example {@code inventory:sku-1}. */
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
