package dev.interlock.errorprone;

import com.sun.source.tree.Tree;
import com.sun.tools.javac.code.Symbol;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.ElementKind;
import org.jspecify.annotations.Nullable;

/** A lock that is held at this point of the walk. Two holds are the same only if they are one object: a call may be walked through twice. */
final class Held {
    private final Asked asked;
    private final Tree place;
    private final int depth;
    private final Set<Symbol> names = new HashSet<>();
    private boolean safe;

    /**
     * @param asked what was asked for, and got
     * @param place where it was taken
     * @param depth how many calls deep that was, seen from where the walk began
     * @param name what the lease is called, if it has a name
     * @param safe whether try-with-resources keeps it until the end of its block, whoever gets to see the lease
     */
    Held(Asked asked, Tree place, int depth, @Nullable Symbol name, boolean safe) {
        this.asked = asked;
        this.place = place;
        this.depth = depth;
        this.safe = safe;
        addName(name);
    }

    Asked asked() {
        return asked;
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
        return asked.keys();
    }

    boolean isNamed(@Nullable Symbol name) {
        return name != null && names.contains(name);
    }

    boolean isInAField() {
        return names.stream().anyMatch(each -> each.getKind() == ElementKind.FIELD);
    }

    /** It is known by this name too: whoever closes one of them closes the lease. */
    void addName(@Nullable Symbol name) {
        if (name != null) {
            names.add(name);
        }
    }

    void keepUntilTheEndOfItsBlock() {
        safe = true;
    }

    /** Whether this was its last name. */
    boolean loseName(Symbol name) {
        return names.remove(name) && names.isEmpty();
    }
}
