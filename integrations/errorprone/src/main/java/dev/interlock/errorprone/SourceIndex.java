package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.CompoundAssignmentTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.UnaryTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.api.JavacTrees;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * The declarations of the variables and methods of one source file, and which variables are constant.
 *
 * <p>A variable is constant if it is initialized where it is declared and never assigned in the file. A field that
 * other files could assign must be final. Final fields are also found in other files of the same compilation.
 */
final class SourceIndex {
    private static final Set<Tree.Kind> CHANGES = EnumSet.of(
            Tree.Kind.PREFIX_INCREMENT,
            Tree.Kind.PREFIX_DECREMENT,
            Tree.Kind.POSTFIX_INCREMENT,
            Tree.Kind.POSTFIX_DECREMENT);

    private final JavacTrees trees;
    private final Map<Symbol, VariableTree> variables = new HashMap<>();
    private final Map<Symbol, MethodTree> methods = new HashMap<>();
    private final Map<Tree, Symbol> enclosingClasses = new HashMap<>();
    private final Set<Symbol> assigned = new HashSet<>();
    private final Map<Symbol, Set<Symbol>> calls = new HashMap<>();
    private final Set<Symbol> locking = new HashSet<>();

    SourceIndex(CompilationUnitTree unit, VisitorState state) {
        trees = JavacTrees.instance(state.context);
        new Reading(state).scan(unit, null);
        while (spreadToCallers()) {}
    }

    /** The value of a constant variable; null if it cannot be determined. */
    @Nullable
    ExpressionTree valueOf(VarSymbol variable) {
        if (variable.getKind() == ElementKind.ENUM_CONSTANT) {
            return null; // its value is the constant itself, not the arguments of its constructor
        }
        VariableTree declared = variables.get(variable);
        if (declared == null
                && isConstantField(variable)
                && trees.getTree(variable) instanceof VariableTree elsewhere) {
            declared = elsewhere;
        }
        return declared == null || assigned.contains(variable) || !isOurs(variable) ? null : declared.getInitializer();
    }

    private static boolean isOurs(VarSymbol variable) {
        return variable.getKind() != ElementKind.FIELD
                || variable.getModifiers().contains(Modifier.FINAL)
                || variable.getModifiers().contains(Modifier.PRIVATE);
    }

    private static boolean isConstantField(VarSymbol variable) {
        return variable.getKind() == ElementKind.FIELD
                && variable.getModifiers().contains(Modifier.FINAL)
                && variable.getModifiers().contains(Modifier.STATIC);
    }

    boolean isAssigned(VarSymbol variable) {
        return assigned.contains(variable);
    }

    /** The declaration of a method in this file, with its body. */
    @Nullable
    MethodTree bodyOf(@Nullable MethodSymbol method) {
        MethodTree declared = method == null ? null : methods.get(method);
        return declared == null || declared.getBody() == null ? null : declared;
    }

    /** The declaration of a variable or method in this file. */
    @Nullable
    Tree declarationOf(@Nullable Symbol symbol) {
        VariableTree variable = variables.get(symbol);
        return variable == null ? methods.get(symbol) : variable;
    }

    /** The class that encloses a lambda or an object creation in this file. */
    @Nullable
    Symbol enclosingClassOf(Tree tree) {
        return enclosingClasses.get(tree);
    }

    /** Whether the method, or one that it calls, acquires or releases a lock. */
    boolean usesLocks(MethodSymbol method) {
        return locking.contains(method);
    }

    private boolean spreadToCallers() {
        boolean grew = false;
        for (Map.Entry<Symbol, Set<Symbol>> each : calls.entrySet()) {
            if (!locking.contains(each.getKey()) && each.getValue().stream().anyMatch(locking::contains)) {
                grew |= locking.add(each.getKey());
            }
        }
        return grew;
    }

    private final class Reading extends TreeScanner<@Nullable Void, @Nullable Symbol> {
        private final VisitorState state;
        private @Nullable Symbol home;

        Reading(VisitorState state) {
            this.state = state;
        }

        @Override
        public @Nullable Void visitClass(ClassTree tree, @Nullable Symbol method) {
            Symbol outer = home;
            home = ASTHelpers.getSymbol(tree);
            super.visitClass(tree, method);
            home = outer;
            return null;
        }

        @Override
        public @Nullable Void visitLambdaExpression(LambdaExpressionTree tree, @Nullable Symbol method) {
            enclosingClasses.put(tree, home);
            return super.visitLambdaExpression(tree, method);
        }

        @Override
        public @Nullable Void visitNewClass(NewClassTree tree, @Nullable Symbol method) {
            enclosingClasses.put(tree, home);
            return super.visitNewClass(tree, method);
        }

        @Override
        public @Nullable Void visitVariable(VariableTree tree, @Nullable Symbol method) {
            variables.put(ASTHelpers.getSymbol(tree), tree);
            return super.visitVariable(tree, method);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree tree, @Nullable Symbol outer) {
            MethodSymbol method = ASTHelpers.getSymbol(tree);
            methods.put(method, tree);
            return super.visitMethod(tree, method);
        }

        @Override
        public @Nullable Void visitMethodInvocation(MethodInvocationTree tree, @Nullable Symbol method) {
            if (method != null) {
                calls.computeIfAbsent(method, key -> new HashSet<>()).add(ASTHelpers.getSymbol(tree));
                if (LockApi.ACQUIRES.matches(tree, state) || LockApi.RELEASE.matches(tree, state)) {
                    locking.add(method);
                }
            }
            return super.visitMethodInvocation(tree, method);
        }

        @Override
        public @Nullable Void visitTry(TryTree tree, @Nullable Symbol method) {
            if (method != null && tree.getResources().stream().anyMatch(this::closes)) {
                locking.add(method);
            }
            return super.visitTry(tree, method);
        }

        private boolean closes(Tree resource) {
            return LockApi.IS_LEASE.matches(resource, state);
        }

        @Override
        public @Nullable Void visitAssignment(AssignmentTree tree, @Nullable Symbol method) {
            assign(tree.getVariable());
            return super.visitAssignment(tree, method);
        }

        @Override
        public @Nullable Void visitCompoundAssignment(CompoundAssignmentTree tree, @Nullable Symbol method) {
            assign(tree.getVariable());
            return super.visitCompoundAssignment(tree, method);
        }

        @Override
        public @Nullable Void visitUnary(UnaryTree tree, @Nullable Symbol method) {
            if (CHANGES.contains(tree.getKind())) {
                assign(tree.getExpression());
            }
            return super.visitUnary(tree, method);
        }

        private void assign(Tree target) {
            Symbol variable = ASTHelpers.getSymbol(target);
            if (variable != null) {
                assigned.add(variable);
            }
        }
    }
}
