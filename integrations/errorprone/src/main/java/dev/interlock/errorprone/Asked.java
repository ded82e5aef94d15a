package dev.interlock.errorprone;

import com.sun.source.tree.ExpressionTree;
import com.sun.tools.javac.code.Symbol;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one verb asks for.
 *
 * @param of the {@code Locks} that are asked, by the names that lead to them; those of another name, or of none, may be another
 *     process's
 * @param keys those that the source tells, in any order
 * @param waits whether it may wait for a holder
 * @param reentrant whether it may join what the scope holds
 * @param elsewhere whether another scope than the thread's own is named, which this check cannot follow
 * @param work what is done under the lock, for {@code run}, {@code call} and {@code tryRun}
 */
record Asked(
        List<Symbol> of,
        List<StaticKey> keys,
        boolean waits,
        boolean reentrant,
        boolean elsewhere,
        @Nullable ExpressionTree work) {

    static final Asked NOTHING_KNOWN = of(List.of(), List.of());

    static Asked of(List<Symbol> locks, List<StaticKey> keys) {
        return new Asked(List.copyOf(locks), List.copyOf(keys), true, false, false, null);
    }

    Asked waiting(boolean now) {
        return new Asked(of, keys, now, reentrant, elsewhere, work);
    }

    Asked joining() {
        return new Asked(of, keys, waits, true, elsewhere, work);
    }

    Asked inAnotherScope() {
        return new Asked(of, keys, waits, reentrant, true, work);
    }

    Asked doing(ExpressionTree what) {
        return new Asked(of, keys, waits, reentrant, elsewhere, what);
    }

    /** Whether both ask the same {@code Locks}, as far as their names tell. */
    boolean asksTheSameAs(Asked other) {
        return !of.isEmpty() && of.equals(other.of);
    }

    /** Whether it takes part in the thread's scope with keys that are known. */
    boolean counts() {
        return !elsewhere && !keys.isEmpty();
    }

    /** One of two requests: what both have in common. */
    Asked or(Asked other) {
        List<StaticKey> common = new ArrayList<>();
        if (keys.size() == 1 && other.keys.size() == 1 && of.equals(other.of)) {
            common.add(keys.get(0).or(other.keys.get(0)));
        }
        return new Asked(
                of, common, waits && other.waits, reentrant || other.reentrant, elsewhere || other.elsewhere, work);
    }
}
