package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.UnaryTree;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds out from a condition which leases are absent: those that are null, and optional ones that are empty. */
final class AbsentLeases {
    /** The maximum number of variables to follow. Also bounds the recursion. */
    private static final int MAX_STEPS = 8;

    private final UnaryOperator<ExpressionTree> values;
    private final VisitorState state;

    /** @param values returns the value that a variable of the condition was set to, or the variable itself */
    AbsentLeases(UnaryOperator<ExpressionTree> values, VisitorState state) {
        this.values = values;
        this.state = state;
    }

    /** Returns the names of the leases that are certainly absent if the condition has this outcome. */
    List<ExpressionTree> when(boolean outcome, @Nullable ExpressionTree condition) {
        return condition == null
                ? List.of()
                : names(outcome, condition, MAX_STEPS).toList();
    }

    private Stream<ExpressionTree> names(boolean outcome, ExpressionTree condition, int steps) {
        ExpressionTree plain = ASTHelpers.stripParentheses(condition);
        if (plain instanceof UnaryTree not && plain.getKind() == Tree.Kind.LOGICAL_COMPLEMENT) {
            return names(!outcome, not.getExpression(), steps);
        }
        if (plain instanceof BinaryTree both) {
            return switch (plain.getKind()) {
                case CONDITIONAL_AND -> outcome ? ofBoth(true, both, steps) : Stream.of();
                case CONDITIONAL_OR -> outcome ? Stream.of() : ofBoth(false, both, steps);
                case EQUAL_TO -> outcome ? comparedWithNull(both) : Stream.of();
                case NOT_EQUAL_TO -> outcome ? Stream.of() : comparedWithNull(both);
                default -> Stream.of();
            };
        }
        if (plain instanceof IdentifierTree && steps > 0) {
            ExpressionTree value = values.apply(plain);
            return value == plain ? Stream.of() : names(outcome, value, steps - 1);
        }
        if (plain instanceof MethodInvocationTree call
                && (outcome ? LockApi.IS_EMPTY : LockApi.IS_PRESENT).matches(call, state)) {
            return Stream.ofNullable(ASTHelpers.getReceiver(call));
        }
        return Stream.of();
    }

    private Stream<ExpressionTree> ofBoth(boolean outcome, BinaryTree both, int steps) {
        return Stream.concat(
                names(outcome, both.getLeftOperand(), steps), names(outcome, both.getRightOperand(), steps));
    }

    private static Stream<ExpressionTree> comparedWithNull(BinaryTree comparison) {
        ExpressionTree left = ASTHelpers.stripParentheses(comparison.getLeftOperand());
        ExpressionTree right = ASTHelpers.stripParentheses(comparison.getRightOperand());
        if (right.getKind() == Tree.Kind.NULL_LITERAL) {
            return Stream.of(left instanceof AssignmentTree assignment ? assignment.getVariable() : left);
        }
        return left.getKind() == Tree.Kind.NULL_LITERAL ? Stream.of(right) : Stream.of();
    }
}
