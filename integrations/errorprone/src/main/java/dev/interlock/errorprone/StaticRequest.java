package dev.interlock.errorprone;

import com.sun.source.tree.ExpressionTree;
import com.sun.tools.javac.code.Symbol;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as far as it can be determined from the source.
 *
 * @param of the symbols of the {@code Locks} expression; with different symbols, or none, it may be another process's
 * @param keys the known keys, in any order
 * @param waits whether it may wait for a holder
 * @param reentrant whether it may join a lock that the scope holds
 * @param elsewhere whether it names a scope other than the thread's own, which the check cannot follow
 * @param work the work under the lock, for {@code run}, {@code call} and {@code tryRun}
 */
record StaticRequest(
        List<Symbol> of,
        List<StaticKey> keys,
        boolean waits,
        boolean reentrant,
        boolean elsewhere,
        @Nullable ExpressionTree work) {

    static final StaticRequest UNKNOWN = of(List.of(), List.of());

    static StaticRequest of(List<Symbol> locks, List<StaticKey> keys) {
        return new StaticRequest(List.copyOf(locks), List.copyOf(keys), true, false, false, null);
    }

    StaticRequest waiting(boolean now) {
        return new StaticRequest(of, keys, now, reentrant, elsewhere, work);
    }

    StaticRequest joining() {
        return new StaticRequest(of, keys, waits, true, elsewhere, work);
    }

    StaticRequest inOtherScope() {
        return new StaticRequest(of, keys, waits, reentrant, true, work);
    }

    StaticRequest withWork(ExpressionTree what) {
        return new StaticRequest(of, keys, waits, reentrant, elsewhere, what);
    }

    /** Whether both requests use the same {@code Locks}, as far as their symbols show. */
    boolean usesSameLocksAs(StaticRequest other) {
        return !of.isEmpty() && of.equals(other.of);
    }

    /** Whether it belongs to the thread's scope and has known keys. */
    boolean isTracked() {
        return !elsewhere && !keys.isEmpty();
    }

    /** What two alternative requests have in common. */
    StaticRequest or(StaticRequest other) {
        List<StaticKey> common = new ArrayList<>();
        if (keys.size() == 1 && other.keys.size() == 1 && of.equals(other.of)) {
            common.add(keys.get(0).or(other.keys.get(0)));
        }
        return new StaticRequest(
                of, common, waits && other.waits, reentrant || other.reentrant, elsewhere || other.elsewhere, work);
    }
}
