package dev.interlock.errorprone;

import static java.util.stream.Collectors.joining;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockType;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The declared order, asked about keys of which only the beginning may be known.
 *
 * <p>What is known is compared by {@link LockOrder}. Where the unknown rest of a name could change the answer there is none.
 */
final class DeclaredOrder {
    /** How a wanted key stands to one that is held. */
    enum Relation {
        /** It comes first, so waiting for it can deadlock. */
        BEFORE,
        SAME,
        /** It comes later, or the source does not tell. */
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
        return comesFirst(wanted, wantedType, held, heldType) ? Relation.BEFORE : Relation.FINE;
    }

    private boolean comesFirst(StaticKey wanted, LockKey wantedType, StaticKey held, LockKey heldType) {
        if (wanted.isWhole() && held.isWhole()) {
            return order.compare(LockKey.of(wanted.known()), LockKey.of(held.known())) < 0;
        }
        if (rank(wantedType) != rank(heldType)) {
            return rank(wantedType) < rank(heldType);
        }
        // Within a rank the names decide, and the types are where they begin; of the same type they cannot be told
        // apart.
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

    /** A key that the same declared type covers, or none; null if the unknown rest of the name decides. */
    private @Nullable LockKey typeOf(StaticKey key) {
        String known = key.known();
        if (!key.isWhole()) {
            if (key.extent() == StaticKey.Extent.BEGINNING && mayGoOn(known)) {
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

    /** Whether a declared type begins like this and is longer. */
    private boolean mayGoOn(String known) {
        return order.types().stream()
                .map(type -> type.name() + ':')
                .anyMatch(type -> type.startsWith(known) && !type.equals(known));
    }

    /** The ranked types, first to last. */
    @Override
    public String toString() {
        return order.types().stream()
                .filter(type -> type.rank().isPresent())
                .sorted(Comparator.comparingInt(type -> type.rank().getAsInt()))
                .map(LockType::name)
                .collect(joining(", "));
    }
}
