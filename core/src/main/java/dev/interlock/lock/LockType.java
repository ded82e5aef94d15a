package dev.interlock.lock;

import java.util.Locale;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * A kind of lock that an application declares: a name prefix, optionally a rank in the order and settings.
 *
 * <p>The type {@code payment:order} covers the key {@code payment:order} and every key that starts with
 * {@code payment:order:}. Where several declared types cover a key, the longest decides.
 */
public record LockType(String name, OptionalInt rank, LockSettings settings) {
    /** Refuses a name that could not be the beginning of a key. */
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

    /** A type without a rank: its keys come after those of all ranked types, ordered by name. */
    public static LockType of(String name) {
        return new LockType(name, OptionalInt.empty(), LockSettings.inherit());
    }

    /** A type with a rank: lower ranks are taken first. */
    public static LockType ranked(String name, int rank) {
        return new LockType(name, OptionalInt.of(rank), LockSettings.inherit());
    }

    /** The name of the lock type that an enum constant stands for: {@code GIFT_CARD} is {@code gift-card}. */
    public static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** This type with settings for its keys. */
    public LockType with(LockSettings newSettings) {
        return new LockType(name, rank, newSettings);
    }

    /** A key of this type. */
    public LockKey key(String id) {
        return LockKey.of(name, id);
    }
}
