package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.fixes.SuggestedFix;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.code.Symbol;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Moves a lease and the rest of its block into try-with-resources, if it is a simple local variable. */
final class TryFix {
    private TryFix() {}

    /**
     * The fix for the call at the path of the state; empty if the lease is not a local variable that is never
     * reassigned.
     */
    static SuggestedFix around(VisitorState state) {
        TreePath path = LeaseUses.declaration(state.getPath());
        if (path == null
                || !(path.getLeaf() instanceof VariableTree variable)
                || !(path.getParentPath().getLeaf() instanceof BlockTree block)
                || !LockApi.IS_LEASE.matches(variable, state)
                || isAssigned(ASTHelpers.getSymbol(variable), block)
                || isOneOfSeveral(variable, block)
                || isFollowedByAnother(variable, path.getParentPath(), state)) {
            return SuggestedFix.emptyFix();
        }
        String declaration = state.getSourceForNode(variable);
        if (declaration == null || !declaration.endsWith(";")) {
            return SuggestedFix.emptyFix();
        }
        return wrap(variable, declaration.substring(0, declaration.length() - 1), block, state);
    }

    private static SuggestedFix wrap(VariableTree variable, String declaration, BlockTree block, VisitorState state) {
        List<? extends StatementTree> all = block.getStatements();
        List<? extends StatementTree> rest = all.subList(all.indexOf(variable) + 1, all.size());
        if (rest.isEmpty()) {
            return SuggestedFix.replace(variable, "try (" + declaration + ") {}");
        }
        SuggestedFix.Builder fix = SuggestedFix.builder().replace(variable, "try (" + declaration + ") {");
        Symbol lease = ASTHelpers.getSymbol(variable);
        for (int i = 0; i < rest.size(); i++) {
            if (closes(rest.get(i), lease, state)) {
                // The statements after the release must not run under the lock.
                List<? extends StatementTree> after = rest.subList(i + 1, rest.size());
                if (!isNeeded(lease, rest.subList(0, i), after)) {
                    return fix.replace(rest.get(i), "}").build();
                }
                if (doesSomething(after)) {
                    return SuggestedFix.emptyFix();
                }
                fix.replace(rest.get(i), "");
                break;
            }
        }
        int end = state.getEndPosition(block) - 1;
        return fix.replace(end, end, "}\n").build();
    }

    /** Whether statements after the try need the lease, or a variable that is declared in it. */
    private static boolean isNeeded(
            Symbol lease, List<? extends StatementTree> inside, List<? extends StatementTree> after) {
        Set<Symbol> declared = new HashSet<>(Set.of(lease));
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitVariable(VariableTree tree, @Nullable Void nothing) {
                declared.add(ASTHelpers.getSymbol(
                        tree)); // including pattern variables, whose scope continues after their statement
                return super.visitVariable(tree, null);
            }

            @Override
            public @Nullable Void visitClass(ClassTree tree, @Nullable Void nothing) {
                declared.add(ASTHelpers.getSymbol(tree));
                return super.visitClass(tree, null);
            }
        }.scan(inside, null);
        boolean[] found = {false};
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitIdentifier(IdentifierTree tree, @Nullable Void nothing) {
                found[0] |= declared.contains(ASTHelpers.getSymbol(tree));
                return null;
            }
        }.scan(after, null);
        return found[0];
    }

    /** Whether the statement is more than {@code return result;}. */
    private static boolean doesSomething(List<? extends StatementTree> statements) {
        boolean[] found = {false};
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void scan(@Nullable Tree tree, @Nullable Void nothing) {
                found[0] |= tree instanceof MethodInvocationTree || tree instanceof NewClassTree;
                return super.scan(tree, null);
            }
        }.scan(statements, null);
        return found[0];
    }

    /** {@code Lease one = …, two = …;} */
    private static boolean isOneOfSeveral(VariableTree variable, BlockTree block) {
        return block.getStatements().stream()
                .anyMatch(each -> each != variable
                        && each instanceof VariableTree
                        && ASTHelpers.getStartPosition(each) == ASTHelpers.getStartPosition(variable));
    }

    /**
     * Whether an earlier lease of the block needs a fix too. Two fixes that end at the same place cannot be applied
     * together.
     */
    private static boolean isFollowedByAnother(VariableTree variable, TreePath block, VisitorState state) {
        List<? extends StatementTree> all = ((BlockTree) block.getLeaf()).getStatements();
        return all.subList(all.indexOf(variable) + 1, all.size()).stream()
                .anyMatch(each -> each instanceof VariableTree other
                        && other.getInitializer() != null
                        && LockApi.ACQUIRE.matches(other.getInitializer(), state)
                        && new LeaseUses(state)
                                .dispositionOf(new TreePath(new TreePath(block, other), other.getInitializer()))
                                .canLeak());
    }

    private static boolean closes(StatementTree statement, Symbol lease, VisitorState state) {
        if (!(statement instanceof ExpressionStatementTree only)
                || !LockApi.RELEASE.matches(only.getExpression(), state)) {
            return false;
        }
        ExpressionTree receiver = ASTHelpers.getReceiver(only.getExpression());
        return receiver != null && lease.equals(ASTHelpers.getSymbol(receiver));
    }

    private static boolean isAssigned(Symbol variable, Tree where) {
        boolean[] found = {false};
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void visitAssignment(AssignmentTree tree, @Nullable Void nothing) {
                found[0] |= tree.getVariable() instanceof IdentifierTree
                        && variable.equals(ASTHelpers.getSymbol(tree.getVariable()));
                return super.visitAssignment(tree, null);
            }
        }.scan(where, null);
        return found[0];
    }
}
