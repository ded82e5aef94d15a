package dev.interlock.internal.lock;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list that usually has one element, kept in a field of type {@code Object}: null, the element itself, or a list of
 * several. Held locks consist mostly of such lists, and a list object for each of them would be a third of their
 * memory.
 */
final class OneOrMany {
    private OneOrMany() {}

    /** The elements in insertion order. Unchecked, like every field of type {@code Object}. */
    @SuppressWarnings("unchecked")
    static <T> List<T> list(@Nullable Object field) {
        if (field == null) {
            return List.of();
        }
        return field instanceof Many many ? (List<T>) (List<?>) many : (List<T>) List.of(field);
    }

    static Object with(@Nullable Object field, Object element) {
        if (field == null) {
            return element;
        }
        Many all = new Many(list(field));
        all.add(element);
        return all;
    }

    static @Nullable Object withAll(@Nullable Object field, List<?> elements) {
        if (elements.isEmpty()) {
            return field;
        }
        if (field == null && elements.size() == 1) {
            return elements.get(0);
        }
        Many all = new Many(list(field));
        all.addAll(elements);
        return all;
    }

    /** Removes the element, compared by identity. */
    static @Nullable Object without(@Nullable Object field, Object element) {
        if (!(field instanceof Many many)) {
            return field == element ? null : field;
        }
        Many rest = new Many(many);
        rest.removeIf(one -> one == element);
        return rest.size() == 1 ? rest.get(0) : rest;
    }

    /** Never changed once it is in a field. A type of its own, so that it cannot be mistaken for an element. */
    private static final class Many extends ArrayList<Object> {
        private static final long serialVersionUID = 1;

        Many(List<?> elements) {
            super(elements);
        }
    }
}
