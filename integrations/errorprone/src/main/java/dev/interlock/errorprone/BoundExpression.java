package dev.interlock.errorprone;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.tools.javac.code.Symbol;
import java.util.Map;

/** An expression together with the values of the parameters in it. */
record BoundExpression(ExpressionTree tree, Map<Symbol, BoundExpression> parameters) {
    static BoundExpression of(ExpressionTree tree) {
        return new BoundExpression(tree, Map.of());
    }

    /** Another expression with the same parameter values. */
    BoundExpression at(ExpressionTree other) {
        return new BoundExpression(other, parameters);
    }

    /** An argument of this expression, which must be a call. */
    BoundExpression argument(int index) {
        return at(((MethodInvocationTree) tree).getArguments().get(index));
    }
}
