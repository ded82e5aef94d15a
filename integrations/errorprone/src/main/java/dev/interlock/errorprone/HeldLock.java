package dev.interlock.errorprone;

import com.sun.source.tree.Tree;
import com.sun.tools.javac.code.Symbol;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.ElementKind;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held at the current point of the walk. Compared by identity, because the walk may pass the same call
 * twice.
 */
final class HeldLock {
    private final StaticRequest request;
    private final Tree place;
    private final int depth;
    private final Set<Symbol> names = new HashSet<>();
    private boolean safe;

    /**
     * @param request the request that was granted
     * @param place where the lock was acquired
     * @param depth the number of calls between the start of the walk and the place
     * @param name the variable of the lease, if there is one
     * @param safe whether try-with-resources keeps the lease open until the end of its block, whichever code sees it
     */
    HeldLock(StaticRequest request, Tree place, int depth, @Nullable Symbol name, boolean safe) {
        this.request = request;
        this.place = place;
        this.depth = depth;
        this.safe = safe;
        addName(name);
    }

    StaticRequest request() {
        return request;
    }

    Tree place() {
        return place;
    }

    int depth() {
        return depth;
    }

    boolean safe() {
        return safe;
    }

    List<StaticKey> keys() {
        return request.keys();
    }

    boolean isNamed(@Nullable Symbol name) {
        return name != null && names.contains(name);
    }

    boolean isInField() {
        return names.stream().anyMatch(each -> each.getKind() == ElementKind.FIELD);
    }

    /** Adds a variable for the same lease. Closing the lease through any of its variables closes it. */
    void addName(@Nullable Symbol name) {
        if (name != null) {
            names.add(name);
        }
    }

    void markSafe() {
        safe = true;
    }

    /** Removes a variable. Returns whether it was the last one. */
    boolean removeName(Symbol name) {
        return names.remove(name) && names.isEmpty();
    }
}
