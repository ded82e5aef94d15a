package dev.interlock.errorprone;

import static com.google.errorprone.matchers.Matchers.instanceMethod;
import static com.google.errorprone.matchers.Matchers.staticMethod;

import com.google.errorprone.VisitorState;
import com.google.errorprone.matchers.Matcher;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.ClassSymbol;
import com.sun.tools.javac.code.Type;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockType;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.ElementKind;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates an expression that creates a {@code LockOrder}. Returns null if its value cannot be determined from the
 * source.
 */
final class OrderReader {
    /** The maximum length of a call chain. Also bounds the recursion. */
    private static final int MAX_STEPS = 24;

    private static final Matcher<ExpressionTree> OF =
            staticMethod().onClass(LockApi.LOCK_ORDER).named("of");
    private static final Matcher<ExpressionTree> CLOSED =
            instanceMethod().onExactClass(LockApi.LOCK_ORDER).named("closed");

    private final StaticValues values;
    private final StaticNames names;
    private final VisitorState state;

    OrderReader(StaticValues values, VisitorState state) {
        this.values = values;
        this.names = new StaticNames(values, state);
        this.state = state;
    }

    @Nullable
    LockOrder read(BoundExpression order) {
        return read(order, MAX_STEPS);
    }

    private @Nullable LockOrder read(BoundExpression order, int steps) {
        BoundExpression followed = values.follow(order);
        if (steps == 0 || !(followed.tree() instanceof MethodInvocationTree call)) {
            return null;
        }
        if (OF.matches(call, state)) {
            return made(followed, call);
        }
        ExpressionTree open = CLOSED.matches(call, state) ? ASTHelpers.getReceiver(call) : null;
        LockOrder before = open == null ? null : read(followed.at(open), steps - 1);
        return before == null ? null : before.closed();
    }

    private @Nullable LockOrder made(BoundExpression value, MethodInvocationTree call) {
        Type first = ASTHelpers.getSymbol(call).getParameters().get(0).type;
        if (LockApi.isNamed(first, "java.lang.String")) {
            return ofNames(value, call);
        }
        return LockApi.isNamed(first, "java.lang.Class") ? ofEnum(value.argument(0)) : ofTypes(value.argument(0));
    }

    private @Nullable LockOrder ofNames(BoundExpression value, MethodInvocationTree call) {
        List<LockType> types = new ArrayList<>();
        for (ExpressionTree each : call.getArguments()) {
            StaticText name = values.text(value.at(each));
            if (!name.whole()) {
                return null;
            }
            types.add(LockType.ranked(name.known(), types.size() + 1));
        }
        return LockOrder.of(types);
    }

    private @Nullable LockOrder ofEnum(BoundExpression literal) {
        return values.follow(literal).tree() instanceof MemberSelectTree select
                        && select.getIdentifier().contentEquals("class")
                        && ASTHelpers.getSymbol(select.getExpression()) instanceof ClassSymbol type
                ? ofEnum(type)
                : null;
    }

    /** The order that an enum declares, from its source or its class file. */
    static @Nullable LockOrder ofEnum(ClassSymbol type) {
        List<LockType> types = new ArrayList<>();
        for (Symbol each : ASTHelpers.getEnclosedElements(type)) {
            if (each.getKind() == ElementKind.ENUM_CONSTANT) {
                types.add(
                        LockType.ranked(StaticNames.nameOf(each.getSimpleName().toString()), types.size() + 1));
            }
        }
        return types.isEmpty() ? null : LockOrder.of(types);
    }

    private @Nullable LockOrder ofTypes(BoundExpression collection) {
        List<BoundExpression> elements = values.elements(collection);
        List<LockType> types = new ArrayList<>();
        for (BoundExpression each : elements == null ? List.<BoundExpression>of() : elements) {
            LockType type = type(each);
            if (type == null) {
                return null;
            }
            types.add(type);
        }
        return types.isEmpty() ? null : LockOrder.of(types);
    }

    private @Nullable LockType type(BoundExpression type) {
        BoundExpression made = names.creationOf(type);
        StaticText name = names.nameOfType(type);
        if (made == null || !name.whole()) {
            return null;
        }
        if (((MethodInvocationTree) made.tree()).getArguments().size() == 1) {
            return LockType.of(name.known());
        }
        StaticText rank = values.text(made.argument(1));
        return rank.whole() ? LockType.ranked(name.known(), Integer.parseInt(rank.known())) : null;
    }
}
