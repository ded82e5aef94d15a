package dev.interlock.errorprone;

import static com.google.errorprone.matchers.Matchers.instanceMethod;
import static com.google.errorprone.matchers.Matchers.staticMethod;

import com.google.errorprone.VisitorState;
import com.google.errorprone.matchers.Matcher;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.tools.javac.code.Symbol;
import java.util.List;
import java.util.Locale;
import javax.lang.model.element.ElementKind;
import org.jspecify.annotations.Nullable;

/** Determines the names of keys and lock types, as far as possible from the source. */
final class StaticNames {
    /** The maximum length of a call chain. Also bounds the recursion. */
    private static final int MAX_STEPS = 24;

    private static final Matcher<ExpressionTree> KEY_OF =
            staticMethod().onClass(LockApi.LOCK_KEY).named("of");
    private static final Matcher<ExpressionTree> KEY_OF_TYPE =
            instanceMethod().onExactClass(LockApi.LOCK_TYPE).named("key");
    private static final Matcher<ExpressionTree> TYPE_OF =
            staticMethod().onClass(LockApi.LOCK_TYPE).namedAnyOf("of", "ranked");
    private static final Matcher<ExpressionTree> TYPE_WITH =
            instanceMethod().onExactClass(LockApi.LOCK_TYPE).named("with");
    private static final Matcher<ExpressionTree> NAME_OF =
            staticMethod().onClass(LockApi.LOCK_TYPE).named("nameOf");
    private static final Matcher<ExpressionTree> NAME_OF_TYPE =
            instanceMethod().onExactClass(LockApi.LOCK_TYPE).named("name");

    private final StaticValues values;
    private final VisitorState state;

    StaticNames(StaticValues values, VisitorState state) {
        this.values = values;
        this.state = state;
    }

    /** The lock type of an enum constant. Same result as {@link dev.interlock.lock.LockType#nameOf} at run time. */
    static String nameOf(String constant) {
        return constant.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What is known about a key; null if nothing is. */
    @Nullable
    StaticKey key(BoundExpression key) {
        StaticKey known = null;
        for (BoundExpression each : values.alternatives(key)) {
            StaticKey one = each.tree() instanceof MethodInvocationTree call ? keyFrom(each, call) : null;
            if (one == null) {
                return null;
            }
            known = known == null ? one : known.or(one);
        }
        return known == null || known.known().isEmpty() ? null : known;
    }

    private @Nullable StaticKey keyFrom(BoundExpression value, MethodInvocationTree call) {
        List<? extends ExpressionTree> given = call.getArguments();
        if (KEY_OF.matches(call, state)) {
            StaticText first = typeName(value.at(given.get(0)), MAX_STEPS);
            return given.size() == 1
                    ? key(first, StaticKey.Extent.BEGINNING)
                    : join(first, values.text(value.at(given.get(1))));
        }
        ExpressionTree type = KEY_OF_TYPE.matches(call, state) ? ASTHelpers.getReceiver(call) : null;
        return type == null ? null : join(nameOfType(value.at(type)), values.text(value.at(given.get(0))));
    }

    private static StaticKey join(StaticText type, StaticText id) {
        StaticText name = type.then(new StaticText(":", true)).then(id);
        return key(name, type.whole() ? StaticKey.Extent.TYPE : StaticKey.Extent.BEGINNING);
    }

    private static StaticKey key(StaticText name, StaticKey.Extent otherwise) {
        return new StaticKey(name.known(), name.whole() ? StaticKey.Extent.WHOLE : otherwise);
    }

    /** The name in a string or an enum constant. */
    private StaticText typeName(BoundExpression value, int steps) {
        BoundExpression followed = values.follow(value);
        Symbol symbol = ASTHelpers.getSymbol(followed.tree());
        if (symbol != null && symbol.getKind() == ElementKind.ENUM_CONSTANT) {
            return new StaticText(nameOf(symbol.getSimpleName().toString()), true);
        }
        if (followed.tree() instanceof MethodInvocationTree call) {
            if (NAME_OF.matches(call, state)) {
                return typeName(followed.at(call.getArguments().get(0)), steps);
            }
            ExpressionTree type = NAME_OF_TYPE.matches(call, state) ? ASTHelpers.getReceiver(call) : null;
            if (type != null) {
                return nameOfType(followed.at(type), steps - 1);
            }
        }
        return values.text(value);
    }

    /** The name of a {@code LockType}. */
    StaticText nameOfType(BoundExpression type) {
        return nameOfType(type, MAX_STEPS);
    }

    private StaticText nameOfType(BoundExpression type, int steps) {
        BoundExpression made = steps == 0 ? null : creationOf(type);
        return made == null ? StaticText.UNKNOWN : typeName(made.argument(0), steps);
    }

    /** The call of {@code LockType.of} or {@code LockType.ranked} that creates this type. */
    @Nullable
    BoundExpression creationOf(BoundExpression type) {
        return creationOf(type, MAX_STEPS);
    }

    private @Nullable BoundExpression creationOf(BoundExpression type, int steps) {
        BoundExpression followed = values.follow(type);
        if (steps == 0 || !(followed.tree() instanceof MethodInvocationTree call)) {
            return null;
        }
        if (TYPE_OF.matches(call, state)) {
            return followed;
        }
        ExpressionTree plain = TYPE_WITH.matches(call, state) ? ASTHelpers.getReceiver(call) : null;
        return plain == null ? null : creationOf(followed.at(plain), steps - 1);
    }
}
