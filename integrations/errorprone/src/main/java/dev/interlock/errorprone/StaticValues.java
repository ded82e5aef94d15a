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
 * Follows expressions through variables, parameters and methods of the same file to what they stand for.
 *
 * <p>Never guesses: what cannot be followed is given back as it is.
 */
final class StaticValues {
    /** So many variables and methods are followed before an expression counts as unknown; also ends every recursion. */
    private static final int MOST_STEPS = 24;

    /** An expression that may be more than these counts as unknown: methods that call themselves in several places have no end. */
    private static final int MOST_ALTERNATIVES = 64;

    private static final Matcher<ExpressionTree> COLLECTION = staticMethod()
            .onClassAny("java.util.List", "java.util.Set", "java.util.Arrays", "java.util.Collections")
            .namedAnyOf("of", "asList", "singletonList", "singleton");

    private static final Matcher<ExpressionTree> COPY = staticMethod()
            .onClassAny("java.util.List", "java.util.Set", "java.util.Objects")
            .namedAnyOf("copyOf", "requireNonNull");

    private final Sources sources;
    private final VisitorState state;

    StaticValues(Sources sources, VisitorState state) {
        this.sources = sources;
        this.state = state;
    }

    /** The one expression that this stands for. */
    Value follow(Value value) {
        List<Value> all = alternatives(value);
        return all.size() == 1 ? all.get(0) : value;
    }

    /** The expressions of which this is one, whatever happens. */
    List<Value> alternatives(Value value) {
        List<Value> found = new ArrayList<>();
        follow(value, MOST_STEPS, found);
        return found.size() == MOST_ALTERNATIVES ? List.of(value) : found;
    }

    private void follow(Value value, int steps, List<Value> found) {
        ExpressionTree tree = ASTHelpers.stripParentheses(value.tree());
        if (found.size() == MOST_ALTERNATIVES) {
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
            Value declared = declaredValue(value.at(tree));
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

    private @Nullable Value declaredValue(Value name) {
        if (!(ASTHelpers.getSymbol(name.tree()) instanceof VarSymbol variable)) {
            return null;
        }
        Value given = name.parameters().get(variable);
        if (given != null) {
            return given;
        }
        ExpressionTree initializer = sources.valueOf(variable);
        return initializer == null ? null : name.at(initializer);
    }

    private void followCall(Value value, MethodInvocationTree call, int steps, List<Value> found) {
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
        Map<Symbol, Value> parameters = parametersOf(method, call, value.parameters());
        results.forEach(result -> follow(new Value(result, parameters), steps - 1, found));
    }

    /** What the parameters of a method stand for in this call; those that the method assigns to are left out. */
    Map<Symbol, Value> parametersOf(MethodTree method, MethodInvocationTree call, Map<Symbol, Value> outer) {
        MethodSymbol symbol = ASTHelpers.getSymbol(method);
        int count = symbol.isVarArgs()
                ? method.getParameters().size() - 1
                : method.getParameters().size();
        Map<Symbol, Value> parameters = new HashMap<>();
        for (int i = 0; i < Math.min(count, call.getArguments().size()); i++) {
            VariableTree parameter = method.getParameters().get(i);
            VarSymbol name = ASTHelpers.getSymbol(parameter);
            if (!sources.isAssigned(name)) {
                parameters.put(name, new Value(call.getArguments().get(i), outer));
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

    /** What is known of a string, or of a value that is appended to one. */
    StaticText text(Value value) {
        return text(value, MOST_STEPS);
    }

    private StaticText text(Value value, int steps) {
        Object constant = ASTHelpers.constValue(value.tree());
        if (constant != null) {
            return new StaticText(constant.toString(), true);
        }
        Value followed = follow(value);
        if (steps > 0
                && followed.tree() instanceof BinaryTree sum
                && sum.getKind() == Tree.Kind.PLUS
                && isString(sum)) {
            StaticText left = text(followed.at(sum.getLeftOperand()), steps - 1);
            if (left.known().length() > LockKey.MAX_BYTES) {
                return new StaticText(left.known(), false); // too long for a name: no need to know how it goes on
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

    /** The elements of {@code List.of(…)} and its like; null if they cannot be seen. */
    @Nullable
    List<Value> elements(Value collection) {
        Value followed = follow(collection);
        if (!(followed.tree() instanceof MethodInvocationTree call) || !COLLECTION.matches(call, state)) {
            return null;
        }
        List<Value> elements = new ArrayList<>();
        for (ExpressionTree each : call.getArguments()) {
            if (ASTHelpers.getType(each) instanceof ArrayType) {
                return null;
            }
            elements.add(followed.at(each));
        }
        return elements;
    }
}
