package dev.interlock.errorprone;

import static com.google.errorprone.matchers.Matchers.staticMethod;

import com.google.errorprone.VisitorState;
import com.google.errorprone.matchers.Matcher;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import com.sun.tools.javac.code.Type.ArrayType;
import dev.interlock.lock.LockKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows expressions through variables, parameters and methods of the same file to their values.
 *
 * <p>An expression that cannot be followed is returned unchanged.
 */
final class StaticValues {
    /** The maximum number of variables and methods to follow. Also bounds the recursion. */
    private static final int MAX_STEPS = 24;

    /** The maximum number of alternatives. Recursive methods with several calls would have no end. */
    private static final int MAX_ALTERNATIVES = 64;

    private static final Matcher<ExpressionTree> COLLECTION = staticMethod()
            .onClassAny("java.util.List", "java.util.Set", "java.util.Arrays", "java.util.Collections")
            .namedAnyOf("of", "asList", "singletonList", "singleton");

    private static final Matcher<ExpressionTree> COPY = staticMethod()
            .onClassAny("java.util.List", "java.util.Set", "java.util.Objects")
            .namedAnyOf("copyOf", "requireNonNull");

    private final SourceIndex sources;
    private final VisitorState state;

    StaticValues(SourceIndex sources, VisitorState state) {
        this.sources = sources;
        this.state = state;
    }

    /** The only value of this expression. */
    BoundExpression follow(BoundExpression value) {
        List<BoundExpression> all = alternatives(value);
        return all.size() == 1 ? all.get(0) : value;
    }

    /** All alternatives for the value of this expression. */
    List<BoundExpression> alternatives(BoundExpression value) {
        List<BoundExpression> found = new ArrayList<>();
        follow(value, MAX_STEPS, found);
        return found.size() == MAX_ALTERNATIVES ? List.of(value) : found;
    }

    private void follow(BoundExpression value, int steps, List<BoundExpression> found) {
        ExpressionTree tree = ASTHelpers.stripParentheses(value.tree());
        if (found.size() == MAX_ALTERNATIVES) {
            return;
        }
        if (steps == 0) {
            found.add(value);
        } else if (tree instanceof TypeCastTree cast) {
            follow(value.at(cast.getExpression()), steps - 1, found);
        } else if (tree instanceof ConditionalExpressionTree choice) {
            follow(value.at(choice.getTrueExpression()), steps - 1, found);
            follow(value.at(choice.getFalseExpression()), steps - 1, found);
        } else if (tree instanceof IdentifierTree || tree instanceof MemberSelectTree) {
            BoundExpression declared = declaredValue(value.at(tree));
            if (declared == null) {
                found.add(value.at(tree));
            } else {
                follow(declared, steps - 1, found);
            }
        } else if (tree instanceof MethodInvocationTree call) {
            followCall(value, call, steps, found);
        } else {
            found.add(value.at(tree));
        }
    }

    private @Nullable BoundExpression declaredValue(BoundExpression name) {
        if (!(ASTHelpers.getSymbol(name.tree()) instanceof VarSymbol variable)) {
            return null;
        }
        BoundExpression given = name.parameters().get(variable);
        if (given != null) {
            return given;
        }
        ExpressionTree initializer = sources.valueOf(variable);
        return initializer == null ? null : name.at(initializer);
    }

    private void followCall(BoundExpression value, MethodInvocationTree call, int steps, List<BoundExpression> found) {
        if (COPY.matches(call, state)) {
            follow(value.at(call.getArguments().get(0)), steps - 1, found);
            return;
        }
        MethodTree method = sources.bodyOf(ASTHelpers.getSymbol(call));
        List<ExpressionTree> results = method == null ? List.of() : resultsOf(method);
        if (method == null || results.isEmpty()) {
            found.add(value.at(call));
            return;
        }
        Map<Symbol, BoundExpression> parameters = parametersOf(method, call, value.parameters());
        results.forEach(result -> follow(new BoundExpression(result, parameters), steps - 1, found));
    }

    /** The values of the parameters of a method in this call, without parameters that the method assigns. */
    Map<Symbol, BoundExpression> parametersOf(
            MethodTree method, MethodInvocationTree call, Map<Symbol, BoundExpression> outer) {
        MethodSymbol symbol = ASTHelpers.getSymbol(method);
        int count = symbol.isVarArgs()
                ? method.getParameters().size() - 1
                : method.getParameters().size();
        Map<Symbol, BoundExpression> parameters = new HashMap<>();
        for (int i = 0; i < Math.min(count, call.getArguments().size()); i++) {
            VariableTree parameter = method.getParameters().get(i);
            VarSymbol name = ASTHelpers.getSymbol(parameter);
            if (!sources.isAssigned(name)) {
                parameters.put(name, new BoundExpression(call.getArguments().get(i), outer));
            }
        }
        return parameters;
    }

    private static List<ExpressionTree> resultsOf(MethodTree method) {
        List<ExpressionTree> results = new ArrayList<>();
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitReturn(ReturnTree tree, @Nullable Void nothing) {
                if (tree.getExpression() != null) {
                    results.add(tree.getExpression());
                }
                return null;
            }

            @Override
            public @Nullable Void visitLambdaExpression(LambdaExpressionTree tree, @Nullable Void nothing) {
                return null;
            }

            @Override
            public @Nullable Void visitClass(ClassTree tree, @Nullable Void nothing) {
                return null;
            }
        }.scan(method.getBody(), null);
        return results;
    }

    // ---------------------------------------------------------------- text

    /** What is known about a string, or about a value that is appended to one. */
    StaticText text(BoundExpression value) {
        return text(value, MAX_STEPS);
    }

    private StaticText text(BoundExpression value, int steps) {
        Object constant = ASTHelpers.constValue(value.tree());
        if (constant != null) {
            return new StaticText(constant.toString(), true);
        }
        BoundExpression followed = follow(value);
        if (steps > 0
                && followed.tree() instanceof BinaryTree sum
                && sum.getKind() == Tree.Kind.PLUS
                && isString(sum)) {
            StaticText left = text(followed.at(sum.getLeftOperand()), steps - 1);
            if (left.known().length() > LockKey.MAX_BYTES) {
                return new StaticText(left.known(), false); // longer than any name, so the rest does not matter
            }
            return left.whole() ? left.then(text(followed.at(sum.getRightOperand()), steps - 1)) : left;
        }
        Object found = ASTHelpers.constValue(followed.tree());
        return found == null ? StaticText.UNKNOWN : new StaticText(found.toString(), true);
    }

    private boolean isString(ExpressionTree tree) {
        return ASTHelpers.isSameType(ASTHelpers.getType(tree), state.getSymtab().stringType, state);
    }

    // ---------------------------------------------------------------- collections

    /** The elements of {@code List.of(…)} and similar calls; null if they cannot be determined. */
    @Nullable
    List<BoundExpression> elements(BoundExpression collection) {
        BoundExpression followed = follow(collection);
        if (!(followed.tree() instanceof MethodInvocationTree call) || !COLLECTION.matches(call, state)) {
            return null;
        }
        List<BoundExpression> elements = new ArrayList<>();
        for (ExpressionTree each : call.getArguments()) {
            if (ASTHelpers.getType(each) instanceof ArrayType) {
                return null;
            }
            elements.add(followed.at(each));
        }
        return elements;
    }
}
