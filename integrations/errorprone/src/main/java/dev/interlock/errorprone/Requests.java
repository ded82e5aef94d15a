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

/** Reads what a verb asks for: {@code locks.acquire(key)}, or a request that was built before, in one place or in several. */
final class Requests {
    /** So many calls in a row are read; also ends every recursion. */
    private static final int MOST_STEPS = 64;

    private static final Matcher<ExpressionTree> WITH =
            instanceMethod().onDescendantOf(LockApi.LOCKS).named("with");
    private static final Matcher<ExpressionTree> OPTION = instanceMethod().onDescendantOf(LockApi.LOCK_REQUEST);
    private static final Matcher<ExpressionTree> ON_LOCKS = instanceMethod().onDescendantOf(LockApi.LOCKS);
    private static final Matcher<ExpressionTree> DURATION =
            staticMethod().onClass("java.time.Duration").withNameMatching(Pattern.compile("of.*"));

    private final StaticValues values;
    private final LockNames names;
    private final VisitorState state;

    Requests(StaticValues values, LockNames names, VisitorState state) {
        this.values = values;
        this.names = names;
        this.state = state;
    }

    /** What this verb asks for; nothing known rather than something wrong. */
    Asked read(MethodInvocationTree verb, Map<Symbol, Value> parameters) {
        Value call = new Value(verb, parameters);
        List<? extends ExpressionTree> given = verb.getArguments();
        Asked asked = ON_LOCKS.matches(verb, state) ? keyed(call) : request(receiver(call), MOST_STEPS);
        if (LockApi.asksOnce(ASTHelpers.getSymbol(verb))) {
            asked = asked.waiting(false);
            for (ExpressionTree each : given) {
                if (isDuration(each)) {
                    asked = asked.waiting(!isZero(call.at(each)));
                }
            }
        }
        return LockApi.WORK.matches(verb, state) ? asked.doing(given.get(given.size() - 1)) : asked;
    }

    /** What is behind an expression that gives a lease, or an optional one: follows it to its verb. Null if there is none to be seen. */
    @Nullable
    Asked behind(@Nullable Value lease) {
        return behind(lease, MOST_STEPS);
    }

    private @Nullable Asked behind(@Nullable Value lease, int steps) {
        if (lease == null || steps == 0) {
            return null;
        }
        Asked asked = null;
        for (Value each : values.alternatives(lease)) {
            Asked one = each.tree() instanceof MethodInvocationTree call ? behindCall(each, call, steps) : null;
            if (one == null) {
                return null;
            }
            asked = asked == null ? one : asked.or(one);
        }
        return asked;
    }

    private @Nullable Asked behindCall(Value value, MethodInvocationTree call, int steps) {
        if (LockApi.ACQUIRE.matches(call, state) || LockApi.TRY_ACQUIRE.matches(call, state)) {
            return read(call, value.parameters());
        }
        return LockApi.UNWRAP.matches(call, state) ? behind(receiver(value), steps - 1) : null;
    }

    private Asked request(@Nullable Value request, int steps) {
        if (request == null || steps == 0) {
            return Asked.NOTHING_KNOWN;
        }
        Value followed = values.follow(request);
        if (!(followed.tree() instanceof MethodInvocationTree call)) {
            return Asked.NOTHING_KNOWN;
        }
        if (WITH.matches(call, state)) {
            return call.getArguments().isEmpty() ? Asked.NOTHING_KNOWN : keyed(followed);
        }
        return OPTION.matches(call, state) ? option(followed, call, steps - 1) : Asked.NOTHING_KNOWN;
    }

    private Asked option(Value value, MethodInvocationTree call, int steps) {
        Asked before = request(receiver(value), steps);
        return switch (ASTHelpers.getSymbol(call).getSimpleName().toString()) {
            case "reentrant" -> before.joining();
            case "in" -> before.inAnotherScope();
            case "waitAtMost" -> before.waiting(call.getArguments().isEmpty() || !isZero(value.argument(0)));
            default -> before;
        };
    }

    /** A call on {@code Locks} whose first argument is the key, or the keys. */
    private Asked keyed(Value call) {
        Value given = call.argument(0);
        List<StaticKey> known = new ArrayList<>();
        List<Value> several = isKey(given.tree()) ? List.of(given) : values.elements(given);
        for (Value each : several == null ? List.<Value>of() : several) {
            StaticKey key = names.key(each);
            if (key != null) {
                known.add(key);
            }
        }
        return Asked.of(namesThatLeadTo(receiver(call)), known);
    }

    /**
     * {@code locks} and {@code this.locks} are one name, {@code interlock.locks()} are two. None where the names do not tell: of an array, or
     * from a method with arguments, each time it may be another one.
     */
    private List<Symbol> namesThatLeadTo(@Nullable Value locks) {
        List<Symbol> path = new ArrayList<>();
        for (Value at = locks; at != null; at = receiver(at)) {
            at = values.follow(at);
            Symbol name = ASTHelpers.getSymbol(at.tree());
            if (path.size() == MOST_STEPS || !(tells(at.tree()) && name != null)) {
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

    private static boolean tells(ExpressionTree name) {
        return name instanceof IdentifierTree
                || name instanceof MemberSelectTree
                || (name instanceof MethodInvocationTree call
                        && call.getArguments().stream().allMatch(Requests::isClassLiteral));
    }

    private static boolean isClassLiteral(ExpressionTree tree) {
        return tree instanceof MemberSelectTree select && select.getIdentifier().contentEquals("class");
    }

    private static @Nullable Value receiver(Value call) {
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

    private boolean isZero(Value patience) {
        Value followed = values.follow(patience);
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
