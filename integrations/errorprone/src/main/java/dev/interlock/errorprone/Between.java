package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The statements between the place where a lease is taken and the one that closes it.
 *
 * <p>Only statements of one block are compared. Where the two places are in different blocks, nothing is known against the code.
 */
final class Between {
    private final VarSymbol lease;
    private final @Nullable TreePath taken;
    private final TreePath body;
    private final TreePath closing;
    private final VisitorState state;

    /**
     * @param taken where the lease comes into the variable; null if at the beginning of the body
     * @param closing the call that closes it, or the try statement that surely does
     */
    Between(VarSymbol lease, @Nullable TreePath taken, TreePath body, TreePath closing, VisitorState state) {
        this.lease = lease;
        this.taken = taken;
        this.body = body;
        this.closing = closing;
        this.state = state;
    }

    /** Whether a try statement is reached: nothing before it leaves the block or takes another lock, and no condition is in the way. */
    boolean isSafe() {
        BlockTree block = blockOfTaking();
        int end = block == null ? -1 : indexIn(block, closing);
        if (block == null || end < start(block)) {
            return true;
        }
        return block.getStatements().subList(start(block), end).stream().noneMatch(this::mayLeave)
                && !isConditional(block);
    }

    /** Whether a plain call is reached: it follows in the same block, and nothing before it can throw. */
    boolean isQuiet() {
        BlockTree block = blockOfTaking();
        if (block == null) {
            return body.getLeaf() instanceof LambdaExpressionTree;
        }
        int end = indexIn(block, closing);
        return end >= start(block)
                && closes(block.getStatements().get(end))
                && block.getStatements().subList(start(block), end).stream().noneMatch(this::mayThrow);
    }

    /** Whether it closes the lease, if there is one, and nothing in it can throw before that. */
    private boolean closes(@Nullable StatementTree statement) {
        if (statement instanceof BlockTree block) {
            for (StatementTree each : block.getStatements()) {
                if (closes(each) || mayThrow(each)) {
                    return closes(each);
                }
            }
            return false;
        }
        if (statement instanceof IfTree choice) {
            ExpressionTree condition = choice.getCondition();
            return !mayThrow(condition)
                    && (isAbsent(true, condition) || closes(choice.getThenStatement()))
                    && (isAbsent(false, condition) || closes(choice.getElseStatement()));
        }
        if (statement instanceof TryTree attempt) {
            return attempt.getResources().isEmpty() && closes(attempt.getBlock());
        }
        boolean simple = statement instanceof ExpressionStatementTree
                || statement instanceof VariableTree
                || statement instanceof ReturnTree;
        return simple && finds(statement, this::isRelease);
    }

    private boolean isRelease(Tree tree) {
        return tree instanceof MethodInvocationTree call && LockApi.RELEASE.matches(call, state) && isOnLease(call);
    }

    /** Whether there is no lease if the condition has this outcome. */
    private boolean isAbsent(boolean outcome, ExpressionTree condition) {
        return Absence.when(outcome, condition, state).stream().anyMatch(this::isLease);
    }

    private @Nullable BlockTree blockOfTaking() {
        if (taken == null) {
            return body.getLeaf() instanceof LambdaExpressionTree lambda && lambda.getBody() instanceof BlockTree block
                    ? block
                    : null;
        }
        for (TreePath at = taken; at != null && at.getLeaf() != body.getLeaf(); at = at.getParentPath()) {
            if (at.getLeaf() instanceof BlockTree block) {
                return block;
            }
        }
        return null;
    }

    private int start(BlockTree block) {
        return taken == null ? 0 : indexIn(block, taken) + 1;
    }

    private static int indexIn(BlockTree block, TreePath inside) {
        for (TreePath at = inside; at != null && at.getParentPath() != null; at = at.getParentPath()) {
            if (at.getParentPath().getLeaf() == block) {
                return block.getStatements().indexOf(at.getLeaf());
            }
        }
        return -1;
    }

    /** Whether the try statement is skipped by a condition that has nothing to do with the lease. */
    private boolean isConditional(BlockTree block) {
        for (TreePath at = closing; at.getLeaf() != block; at = at.getParentPath()) {
            if (at.getLeaf() instanceof IfTree choice
                    && choice.getElseStatement() == null
                    && !finds(choice.getCondition(), this::isLease)) {
                return true;
            }
        }
        return false;
    }

    private boolean isLease(Tree tree) {
        return tree instanceof IdentifierTree && lease.equals(ASTHelpers.getSymbol(tree));
    }

    private boolean mayLeave(StatementTree statement) {
        boolean asksForTheLease = statement instanceof IfTree choice && finds(choice.getCondition(), this::isLease);
        boolean exitsAreFine = asksForTheLease || finds(statement, tree -> isRelease(tree) || isTryOfTheLease(tree));
        return finds(
                statement,
                tree -> (!exitsAreFine && (tree instanceof ReturnTree || tree instanceof ThrowTree))
                        || (tree instanceof MethodInvocationTree call && LockApi.TAKES.matches(call, state)));
    }

    private boolean isTryOfTheLease(Tree tree) {
        return tree instanceof TryTree attempt
                && attempt.getResources().stream().anyMatch(this::isLease);
    }

    private boolean mayThrow(Tree statement) {
        if (statement instanceof IfTree choice) {
            return mayThrow(choice.getCondition())
                    || (!isAbsent(true, choice.getCondition()) && mayLeakIn(choice.getThenStatement()))
                    || (!isAbsent(false, choice.getCondition()) && mayLeakIn(choice.getElseStatement()));
        }
        return finds(
                statement,
                tree -> tree instanceof ReturnTree
                        || tree instanceof ThrowTree
                        || tree instanceof NewClassTree
                        || (tree instanceof MethodInvocationTree call && !isOnLease(call)));
    }

    private boolean mayLeakIn(@Nullable StatementTree branch) {
        return branch != null && !closes(branch) && mayThrow(branch);
    }

    /** Whether it is a call on the lease, or on what is in the optional. */
    private boolean isOnLease(MethodInvocationTree call) {
        ExpressionTree receiver = ASTHelpers.getReceiver(call);
        return receiver != null
                && (isLease(receiver)
                        || (receiver instanceof MethodInvocationTree inner
                                && LockApi.UNWRAP.matches(inner, state)
                                && isOnLease(inner)));
    }

    /** Looks for something that runs here and now; but not where there is no lease. */
    private boolean finds(@Nullable Tree where, Predicate<Tree> what) {
        return Boolean.TRUE.equals(
                new TreeScanner<Boolean, @Nullable Void>() {
                    @Override
                    public Boolean scan(@Nullable Tree tree, @Nullable Void nothing) {
                        if (tree == null || tree instanceof LambdaExpressionTree || tree instanceof ClassTree) {
                            return false;
                        }
                        return what.test(tree) || Boolean.TRUE.equals(super.scan(tree, null));
                    }

                    @Override
                    public Boolean visitIf(IfTree tree, @Nullable Void nothing) {
                        ExpressionTree condition = tree.getCondition();
                        return scan(condition, null)
                                || (!isAbsent(true, condition) && scan(tree.getThenStatement(), null))
                                || (!isAbsent(false, condition) && scan(tree.getElseStatement(), null));
                    }

                    @Override
                    public Boolean reduce(Boolean one, Boolean other) {
                        return Boolean.TRUE.equals(one) || Boolean.TRUE.equals(other);
                    }
                }.scan(where, null));
    }
}
