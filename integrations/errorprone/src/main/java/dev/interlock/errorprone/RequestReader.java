package dev.interlock.errorprone;

import static com.google.errorprone.matchers.Matchers.instanceMethod;
import static com.google.errorprone.matchers.Matchers.staticMethod;

import com.google.errorprone.VisitorState;
import com.google.errorprone.matchers.Matcher;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the request of a call such as {@code locks.acquire(key)}, or of a request that was built earlier, in one or
 * several steps.
 */
final class RequestReader {
    /** The maximum length of a call chain. Also bounds the recursion. */
    private static final int MAX_STEPS = 64;

    private static final Matcher<ExpressionTree> WITH =
            instanceMethod().onDescendantOf(LockApi.LOCKS).named("with");
    private static final Matcher<ExpressionTree> OPTION = instanceMethod().onDescendantOf(LockApi.LOCK_REQUEST);
    private static final Matcher<ExpressionTree> ON_LOCKS = instanceMethod().onDescendantOf(LockApi.LOCKS);
    private static final Matcher<ExpressionTree> DURATION =
            staticMethod().onClass("java.time.Duration").withNameMatching(Pattern.compile("of.*"));

    private final StaticValues values;
    private final StaticNames names;
    private final VisitorState state;

    RequestReader(StaticValues values, StaticNames names, VisitorState state) {
        this.values = values;
        this.names = names;
        this.state = state;
    }

    /** Reads the request of this call. Unknown parts are left out. */
    StaticRequest read(MethodInvocationTree verb, Map<Symbol, BoundExpression> parameters) {
        BoundExpression call = new BoundExpression(verb, parameters);
        List<? extends ExpressionTree> given = verb.getArguments();
        StaticRequest request = ON_LOCKS.matches(verb, state) ? keyed(call) : request(receiver(call), MAX_STEPS);
        if (LockApi.waitsOnlyIfAsked(ASTHelpers.getSymbol(verb))) {
            request = request.waiting(false);
            for (ExpressionTree each : given) {
                if (isDuration(each)) {
                    request = request.waiting(!isZero(call.at(each)));
                }
            }
        }
        return LockApi.WORK.matches(verb, state) ? request.withWork(given.get(given.size() - 1)) : request;
    }

    /**
     * Finds the call that produced a lease or an optional lease, and reads its request. Null if there is no such call.
     */
    @Nullable
    StaticRequest requestBehind(@Nullable BoundExpression lease) {
        return requestBehind(lease, MAX_STEPS);
    }

    private @Nullable StaticRequest requestBehind(@Nullable BoundExpression lease, int steps) {
        if (lease == null || steps == 0) {
            return null;
        }
        StaticRequest request = null;
        for (BoundExpression each : values.alternatives(lease)) {
            StaticRequest one =
                    each.tree() instanceof MethodInvocationTree call ? requestBehindCall(each, call, steps) : null;
            if (one == null) {
                return null;
            }
            request = request == null ? one : request.or(one);
        }
        return request;
    }

    private @Nullable StaticRequest requestBehindCall(BoundExpression value, MethodInvocationTree call, int steps) {
        if (LockApi.ACQUIRE.matches(call, state) || LockApi.TRY_ACQUIRE.matches(call, state)) {
            return read(call, value.parameters());
        }
        return LockApi.UNWRAP.matches(call, state) ? requestBehind(receiver(value), steps - 1) : null;
    }

    private StaticRequest request(@Nullable BoundExpression request, int steps) {
        if (request == null || steps == 0) {
            return StaticRequest.UNKNOWN;
        }
        BoundExpression followed = values.follow(request);
        if (!(followed.tree() instanceof MethodInvocationTree call)) {
            return StaticRequest.UNKNOWN;
        }
        if (WITH.matches(call, state)) {
            return call.getArguments().isEmpty() ? StaticRequest.UNKNOWN : keyed(followed);
        }
        return OPTION.matches(call, state) ? option(followed, call, steps - 1) : StaticRequest.UNKNOWN;
    }

    private StaticRequest option(BoundExpression value, MethodInvocationTree call, int steps) {
        StaticRequest before = request(receiver(value), steps);
        return switch (ASTHelpers.getSymbol(call).getSimpleName().toString()) {
            case "reentrant" -> before.joining();
            case "in" -> before.inOtherScope();
            case "waitAtMost" -> before.waiting(call.getArguments().isEmpty() || !isZero(value.argument(0)));
            default -> before;
        };
    }

    /** Reads a call on {@code Locks} whose first argument is the key or the keys. */
    private StaticRequest keyed(BoundExpression call) {
        BoundExpression given = call.argument(0);
        List<StaticKey> known = new ArrayList<>();
        List<BoundExpression> several = isKey(given.tree()) ? List.of(given) : values.elements(given);
        for (BoundExpression each : several == null ? List.<BoundExpression>of() : several) {
            StaticKey key = names.key(each);
            if (key != null) {
                known.add(key);
            }
        }
        return StaticRequest.of(symbolsOf(receiver(call)), known);
    }

    /**
     * The symbols of an expression: {@code locks} and {@code this.locks} have one, {@code interlock.locks()} has two.
     * Empty for elements of an array and results of methods with arguments, which may be another object each time.
     */
    private List<Symbol> symbolsOf(@Nullable BoundExpression locks) {
        List<Symbol> path = new ArrayList<>();
        for (BoundExpression at = locks; at != null; at = receiver(at)) {
            at = values.follow(at);
            Symbol name = ASTHelpers.getSymbol(at.tree());
            if (path.size() == MAX_STEPS || !(hasStableSymbol(at.tree()) && name != null)) {
                return List.of();
            }
            if ((name instanceof VarSymbol || name instanceof MethodSymbol)
                    && !name.getSimpleName().contentEquals("this")
                    && !name.getSimpleName().contentEquals("super")) {
                path.add(name);
            }
        }
        return path;
    }

    private static boolean hasStableSymbol(ExpressionTree name) {
        return name instanceof IdentifierTree
                || name instanceof MemberSelectTree
                || (name instanceof MethodInvocationTree call
                        && call.getArguments().stream().allMatch(RequestReader::isClassLiteral));
    }

    private static boolean isClassLiteral(ExpressionTree tree) {
        return tree instanceof MemberSelectTree select && select.getIdentifier().contentEquals("class");
    }

    private static @Nullable BoundExpression receiver(BoundExpression call) {
        ExpressionTree receiver = call.tree() instanceof MethodInvocationTree || call.tree() instanceof MemberSelectTree
                ? ASTHelpers.getReceiver(call.tree())
                : null;
        return receiver == null ? null : call.at(receiver);
    }

    private static boolean isKey(ExpressionTree tree) {
        return LockApi.isNamed(ASTHelpers.getType(tree), LockApi.LOCK_KEY);
    }

    private static boolean isDuration(ExpressionTree tree) {
        return LockApi.isNamed(ASTHelpers.getType(tree), "java.time.Duration");
    }

    private boolean isZero(BoundExpression patience) {
        BoundExpression followed = values.follow(patience);
        Symbol symbol = ASTHelpers.getSymbol(followed.tree());
        if (symbol != null && symbol.getSimpleName().contentEquals("ZERO")) {
            return true;
        }
        return followed.tree() instanceof MethodInvocationTree call
                && DURATION.matches(call, state)
                && ASTHelpers.constValue(call.getArguments().get(0)) instanceof Number amount
                && amount.longValue() == 0;
    }
}
