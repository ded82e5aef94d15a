package dev.interlock.lock;

import java.util.Locale;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * A kind of lock that an application declares: a prefix of key names, with an optional rank and settings.
 *
 * <p>The type {@code payment:order} covers the key {@code payment:order} and all keys that start with
 * {@code payment:order:}. If several declared types cover a key, the one with the longest name applies.
 *
 * @param name the prefix, without the colon at the end
 * @param rank the position in the {@link LockOrder}; lower ranks are acquired first. Types without a rank come last
 * @param settings the settings for the keys of this type
 * @since 0.1.0
 */
public record LockType(String name, OptionalInt rank, LockSettings settings) {
    /** Rejects a name that cannot be the beginning of a key. */
    public LockType {
        Objects.requireNonNull(name, "name is null: a lock type needs a name");
        Objects.requireNonNull(rank, "rank");
        Objects.requireNonNull(settings, "settings");
        LockNames.check("Lock type", name, LockKey.MAX_BYTES);
        if (name.endsWith(":")) {
            throw new IllegalArgumentException(
                    "Lock type \"" + name + "\" ends with a colon: leave it out, it is added before the id");
        }
    }

    /** Returns a type without a rank. Its keys come after those of all ranked types, ordered by name. */
    public static LockType of(String name) {
        return new LockType(name, OptionalInt.empty(), LockSettings.inherit());
    }

    /** Returns a type with a rank. Lower ranks are acquired first. */
    public static LockType ranked(String name, int rank) {
        return new LockType(name, OptionalInt.of(rank), LockSettings.inherit());
    }

    /** Returns the lock type name of an enum constant: {@code GIFT_CARD} becomes {@code gift-card}. */
    public static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns this type with the given settings. */
    public LockType with(LockSettings newSettings) {
        return new LockType(name, rank, newSettings);
    }

    /** Returns the key of this type with the given id. */
    public LockKey key(String id) {
        return LockKey.of(name, id);
    }
}
