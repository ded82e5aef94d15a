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

/** Turns an expression that makes a {@code LockOrder} into the order that it makes at run time; null if the source does not tell. */
final class OrderReader {
    /** So many calls in a row are read; also ends every recursion. */
    private static final int MOST_STEPS = 24;

    private static final Matcher<ExpressionTree> OF =
            staticMethod().onClass(LockApi.LOCK_ORDER).named("of");
    private static final Matcher<ExpressionTree> CLOSED =
            instanceMethod().onExactClass(LockApi.LOCK_ORDER).named("closed");

    private final StaticValues values;
    private final LockNames names;
    private final VisitorState state;

    OrderReader(StaticValues values, VisitorState state) {
        this.values = values;
        this.names = new LockNames(values, state);
        this.state = state;
    }

    @Nullable
    LockOrder read(Value order) {
        return read(order, MOST_STEPS);
    }

    private @Nullable LockOrder read(Value order, int steps) {
        Value followed = values.follow(order);
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

    private @Nullable LockOrder made(Value value, MethodInvocationTree call) {
        Type first = ASTHelpers.getSymbol(call).getParameters().get(0).type;
        if (LockApi.isNamed(first, "java.lang.String")) {
            return ofNames(value, call);
        }
        return LockApi.isNamed(first, "java.lang.Class") ? ofEnum(value.argument(0)) : ofTypes(value.argument(0));
    }

    private @Nullable LockOrder ofNames(Value value, MethodInvocationTree call) {
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

    private @Nullable LockOrder ofEnum(Value literal) {
        return values.follow(literal).tree() instanceof MemberSelectTree select
                        && select.getIdentifier().contentEquals("class")
                        && ASTHelpers.getSymbol(select.getExpression()) instanceof ClassSymbol type
                ? ofEnum(type)
                : null;
    }

    /** The order that an enum declares; from source and from a class file alike. */
    static @Nullable LockOrder ofEnum(ClassSymbol type) {
        List<LockType> types = new ArrayList<>();
        for (Symbol each : ASTHelpers.getEnclosedElements(type)) {
            if (each.getKind() == ElementKind.ENUM_CONSTANT) {
                types.add(LockType.ranked(LockNames.nameOf(each.getSimpleName().toString()), types.size() + 1));
            }
        }
        return types.isEmpty() ? null : LockOrder.of(types);
    }

    private @Nullable LockOrder ofTypes(Value collection) {
        List<Value> elements = values.elements(collection);
        List<LockType> types = new ArrayList<>();
        for (Value each : elements == null ? List.<Value>of() : elements) {
            LockType type = type(each);
            if (type == null) {
                return null;
            }
            types.add(type);
        }
        return types.isEmpty() ? null : LockOrder.of(types);
    }

    private @Nullable LockType type(Value type) {
        Value made = names.making(type);
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
