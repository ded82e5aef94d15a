package dev.interlock.internal.lock;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list that mostly has one element, in a field of its own: nothing, the element itself, or a list of several. Ten thousand held locks are
 * mostly made of such lists, and a list object for each of them would be a third of their memory.
 */
final class Few {
    private Few() {}

    /** What was put in, in that order; unchecked, like every field of type {@code Object}. */
    @SuppressWarnings("unchecked")
    static <T> List<T> list(@Nullable Object few) {
        if (few == null) {
            return List.of();
        }
        return few instanceof Several several ? (List<T>) (List<?>) several : (List<T>) List.of(few);
    }

    static Object with(@Nullable Object few, Object element) {
        if (few == null) {
            return element;
        }
        Several all = new Several(list(few));
        all.add(element);
        return all;
    }

    static @Nullable Object withAll(@Nullable Object few, List<?> elements) {
        if (elements.isEmpty()) {
            return few;
        }
        if (few == null && elements.size() == 1) {
            return elements.get(0);
        }
        Several all = new Several(list(few));
        all.addAll(elements);
        return all;
    }

    /** Without the element, which is the very object. */
    static @Nullable Object without(@Nullable Object few, Object element) {
        if (!(few instanceof Several several)) {
            return few == element ? null : few;
        }
        Several rest = new Several(several);
        rest.removeIf(one -> one == element);
        return rest.size() == 1 ? rest.get(0) : rest;
    }

    /** Never changed once it is in a field; a type of its own, so that no element is taken for it. */
    private static final class Several extends ArrayList<Object> {
        private static final long serialVersionUID = 1;

        Several(List<?> elements) {
            super(elements);
        }
    }
}
