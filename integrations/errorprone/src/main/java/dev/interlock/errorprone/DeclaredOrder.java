package dev.interlock.errorprone;

import static java.util.stream.Collectors.joining;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockType;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The declared lock order, for keys of which possibly only the beginning is known.
 *
 * <p>{@link LockOrder} compares what is known. If the unknown rest of a name could change the result, there is no
 * result.
 */
final class DeclaredOrder {
    /** The relation of a requested key to a held one. */
    enum Relation {
        /** It comes first in the order, so waiting for it can deadlock. */
        BEFORE,
        SAME,
        /** It comes later, or its position cannot be determined from the source. */
        FINE
    }

    private final LockOrder order;

    DeclaredOrder(LockOrder order) {
        this.order = order;
    }

    Relation relation(StaticKey wanted, StaticKey held) {
        if (wanted.isWhole() && wanted.equals(held)) {
            return Relation.SAME;
        }
        LockKey wantedType = typeOf(wanted);
        LockKey heldType = typeOf(held);
        if (wantedType == null || heldType == null) {
            return Relation.FINE;
        }
        return precedes(wanted, wantedType, held, heldType) ? Relation.BEFORE : Relation.FINE;
    }

    private boolean precedes(StaticKey wanted, LockKey wantedType, StaticKey held, LockKey heldType) {
        if (wanted.isWhole() && held.isWhole()) {
            return order.compare(LockKey.of(wanted.known()), LockKey.of(held.known())) < 0;
        }
        if (rank(wantedType) != rank(heldType)) {
            return rank(wantedType) < rank(heldType);
        }
        // Within a rank the names decide, and names begin with the type. Keys of the same type cannot be compared.
        boolean sameType = wantedType.equals(heldType)
                || (order.typeOf(wantedType).isPresent()
                        && order.typeOf(wantedType).equals(order.typeOf(heldType)));
        return !sameType && !wanted.mayBe(held) && LockKey.of(wanted.known()).compareTo(LockKey.of(held.known())) < 0;
    }

    private long rank(LockKey type) {
        Optional<LockType> declared = order.typeOf(type);
        return declared.isPresent() && declared.get().rank().isPresent()
                ? declared.get().rank().getAsInt()
                : Long.MAX_VALUE;
    }

    /** Whether the order is closed and the key certainly belongs to none of its types. */
    boolean refuses(StaticKey key) {
        LockKey type = order.isClosed() ? typeOf(key) : null;
        return type != null && order.typeOf(type).isEmpty();
    }

    /** A key of the same declared type, or of no declared type; null if the unknown rest of the name decides. */
    private @Nullable LockKey typeOf(StaticKey key) {
        String known = key.known();
        if (!key.isWhole()) {
            if (key.extent() == StaticKey.Extent.BEGINNING && hasLongerType(known)) {
                return null;
            }
            known = known.substring(0, Math.max(known.lastIndexOf(':'), 0));
        }
        try {
            LockKey all = LockKey.of(key.known());
            return known.isEmpty() ? all : LockKey.of(known);
        } catch (IllegalArgumentException noKeyAtAll) {
            return null;
        }
    }

    /** Whether a longer declared type begins with this text. */
    private boolean hasLongerType(String known) {
        return order.types().stream()
                .map(type -> type.name() + ':')
                .anyMatch(type -> type.startsWith(known) && !type.equals(known));
    }

    /** The ranked types in order. */
    @Override
    public String toString() {
        return order.types().stream()
                .filter(type -> type.rank().isPresent())
                .sorted(Comparator.comparingInt(type -> type.rank().getAsInt()))
                .map(LockType::name)
                .collect(joining(", "));
    }
}
