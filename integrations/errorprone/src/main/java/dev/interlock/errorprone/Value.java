package dev.interlock.errorprone;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.tools.javac.code.Symbol;
import java.util.Map;

/** An expression, and what the parameters in it stand for. */
record Value(ExpressionTree tree, Map<Symbol, Value> parameters) {
    static Value of(ExpressionTree tree) {
        return new Value(tree, Map.of());
    }

    /** Another expression at the same place. */
    Value at(ExpressionTree other) {
        return new Value(other, parameters);
    }

    /** An argument of the call that this is. */
    Value argument(int index) {
        return at(((MethodInvocationTree) tree).getArguments().get(index));
    }
}
