package dev.interlock.errorprone;

import static com.google.errorprone.matchers.Matchers.anyOf;
import static com.google.errorprone.matchers.Matchers.instanceMethod;
import static com.google.errorprone.matchers.Matchers.isSubtypeOf;

import com.google.errorprone.VisitorState;
import com.google.errorprone.matchers.Matcher;
import com.google.errorprone.suppliers.Supplier;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import com.sun.tools.javac.code.Type;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The types of Interlock by name, and its methods as matchers. */
final class LockApi {
    static final String LOCKS = "dev.interlock.lock.Locks";
    static final String LOCK_REQUEST = "dev.interlock.lock.LockRequest";
    static final String LOCK_KEY = "dev.interlock.lock.LockKey";
    static final String LOCK_TYPE = "dev.interlock.lock.LockType";
    static final String LOCK_ORDER = "dev.interlock.lock.LockOrder";
    private static final String HOLDING = "dev.interlock.lock.Holding";

    /** Returns a lease. */
    static final Matcher<ExpressionTree> ACQUIRE = verb("acquire");

    /** Returns an optional lease. */
    static final Matcher<ExpressionTree> TRY_ACQUIRE = verb("tryAcquire");

    /** Acquires the lock, runs the work in the last argument, and releases the lock. */
    static final Matcher<ExpressionTree> WORK = verb("run", "call", "tryRun");

    /** Methods whose result must not be ignored: it says whether the lock was acquired, or delivers the lease later. */
    static final Matcher<ExpressionTree> RESULT_MATTERS = verb("tryAcquire", "tryRun", "acquireAsync");

    /** All methods that block and acquire a lock. */
    static final Matcher<ExpressionTree> ACQUIRES = anyOf(ACQUIRE, TRY_ACQUIRE, WORK);

    static final Matcher<ExpressionTree> RELEASE = release("close", "release", "releaseAsync");

    static final Matcher<ExpressionTree> UNWRAP = onOptional("get", "orElseThrow", "orElse");

    /** Passes the content of the optional to a lambda, immediately and on the same thread. */
    static final Matcher<ExpressionTree> VISIT = onOptional("ifPresent", "ifPresentOrElse", "map", "flatMap", "filter");

    /** Passes each element to a lambda, immediately and on the same thread. */
    static final Matcher<ExpressionTree> EACH = named(
            new String[] {"forEach"},
            anyOf(
                    instanceMethod().onDescendantOf("java.lang.Iterable").named("forEach"),
                    instanceMethod()
                            .onDescendantOf("java.util.Map")
                            .named("forEach")
                            .withParameters("java.util.function.BiConsumer")));

    /** Checks whether there is a lease, without taking it. */
    static final Matcher<ExpressionTree> INSPECT = onOptional("isPresent", "isEmpty", "toString", "hashCode");

    static final Matcher<ExpressionTree> IS_EMPTY = onOptional("isEmpty");

    static final Matcher<ExpressionTree> IS_PRESENT = onOptional("isPresent");

    /** Returns the optional itself or an empty one. */
    static final Matcher<ExpressionTree> FILTER = onOptional("filter");

    static final Matcher<Tree> IS_LEASE = isSubtypeOf(HOLDING);

    private static final Supplier<Type> HOLDING_TYPE = VisitorState.memoize(state -> state.getTypeFromString(HOLDING));

    private static final Set<String> READERS = Set.of(
            HOLDING,
            "dev.interlock.lock.Lease",
            "dev.interlock.lock.LeaseSet",
            "dev.interlock.lock.FenceGuard",
            "dev.interlock.transactions.FencedRows",
            "dev.interlock.transactions.JdbcFence",
            "dev.interlock.redis.RedisFence");

    private static final Set<String> TRY_METHODS = Set.of("tryAcquire", "tryRun");
    private static final Set<String> DOES_WORK = Set.of("run", "call", "tryRun");
    private static final Set<String> WORKS =
            Set.of("dev.interlock.lock.LockedAction", "dev.interlock.lock.LockedFunction");

    private LockApi() {}

    private static Matcher<ExpressionTree> verb(String... names) {
        Matcher<ExpressionTree> onLocks = instanceMethod().onDescendantOf(LOCKS).namedAnyOf(names);
        Matcher<ExpressionTree> onRequest =
                instanceMethod().onDescendantOf(LOCK_REQUEST).namedAnyOf(names);
        return named(
                names,
                (tree, state) -> (onLocks.matches(tree, state) && isGiven(tree, true))
                        || (onRequest.matches(tree, state) && isGiven(tree, false)));
    }

    /** Checks the name first. Every call of every file is checked, and comparing types is slow. */
    private static Matcher<ExpressionTree> named(String[] names, Matcher<ExpressionTree> matcher) {
        Set<String> all = Set.of(names);
        return (tree, state) -> ASTHelpers.getSymbol(tree) instanceof MethodSymbol method
                && all.contains(method.getSimpleName().toString())
                && matcher.matches(tree, state);
    }

    private static Matcher<ExpressionTree> release(String... names) {
        return named(names, instanceMethod().onDescendantOf(HOLDING).namedAnyOf(names));
    }

    private static Matcher<ExpressionTree> onOptional(String... names) {
        return named(names, instanceMethod().onExactClass("java.util.Optional").namedAnyOf(names));
    }

    /**
     * Whether the parameters are Interlock's. A {@code Locks} of the application may have a different {@code run()}.
     */
    private static boolean isGiven(ExpressionTree tree, boolean key) {
        if (!(ASTHelpers.getSymbol(tree) instanceof MethodSymbol method)) {
            return false;
        }
        List<VarSymbol> given = method.getParameters();
        if (key && (given.isEmpty() || !isNamed(given.get(0).type, LOCK_KEY))) {
            return false;
        }
        return !DOES_WORK.contains(method.getSimpleName().toString())
                || (!given.isEmpty() && WORKS.contains(nameOf(given.get(given.size() - 1).type)));
    }

    private static String nameOf(Type type) {
        return type.tsym == null ? "" : type.tsym.getQualifiedName().toString();
    }

    /** Whether it is this class, and not a subclass of it. */
    static boolean isNamed(@Nullable Type type, String name) {
        return type != null && type.tsym != null && type.tsym.getQualifiedName().contentEquals(name);
    }

    /** Whether the variable is declared as a lease, and not as a supertype of a lease. */
    static boolean isLease(Symbol variable, VisitorState state) {
        return ASTHelpers.isSubtype(variable.type, HOLDING_TYPE.get(state), state);
    }

    /** Whether this method waits only if it is given a patience. */
    static boolean waitsOnlyIfAsked(MethodSymbol verb) {
        return TRY_METHODS.contains(verb.getSimpleName().toString());
    }

    /**
     * Whether the caller keeps a lease that it passes to this method. A fence reads the lease and does not store it.
     */
    static boolean onlyReads(@Nullable Symbol method) {
        return method != null
                && READERS.contains(
                        ASTHelpers.outermostClass(method).getQualifiedName().toString());
    }
}
