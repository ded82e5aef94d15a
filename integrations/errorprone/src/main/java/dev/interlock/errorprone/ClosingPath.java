package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.BreakTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ContinueTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LabeledStatementTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import com.sun.tools.javac.code.Type;
import com.sun.tools.javac.code.TypeTag;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The statements between the place where a lease is acquired and the place that closes it.
 *
 * <p>Only statements of one block are analyzed. If the two places are in different blocks, the code counts as correct.
 */
final class ClosingPath {
    /** The maximum number of variables to follow. Also bounds the recursion. */
    private static final int MAX_STEPS = 8;

    private final VarSymbol lease;
    private final @Nullable TreePath taken;
    private final TreePath body;
    private final TreePath closing;
    private final VisitorState state;

    /**
     * @param taken where the variable gets the lease; null if it has the lease from the start of the body
     * @param closing the call that closes the lease, or the code that certainly closes it once it is reached: the try
     *     statement, or the unwrapping of an optional
     */
    ClosingPath(VarSymbol lease, @Nullable TreePath taken, TreePath body, TreePath closing, VisitorState state) {
        this.lease = lease;
        this.taken = taken;
        this.body = body;
        this.closing = closing;
        this.state = state;
    }

    /**
     * Whether the closing code is certainly reached: nothing before it leaves the block or acquires another lock, and
     * it is not conditional.
     */
    boolean isSafe() {
        BlockTree block = blockOfTaking();
        int end = block == null ? -1 : indexIn(block, closing);
        if (block == null || end < start(block)) {
            return true;
        }
        return block.getStatements().subList(start(block), end).stream().noneMatch(this::mayLeave)
                && !isConditional(block);
    }

    /** Whether a plain call of close is reached: it follows in the same block, and nothing before it can throw. */
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

    /** Whether the statement closes the lease, if there is one, before anything in it can throw. */
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
        if (statement instanceof SwitchTree choice) {
            return !mayThrow(choice.getExpression())
                    && ASTHelpers.getSwitchDefault(choice).isPresent()
                    && IntStream.range(0, choice.getCases().size())
                            .allMatch(each -> closesFrom(each, choice.getCases()));
        }
        boolean simple = statement instanceof ExpressionStatementTree
                || statement instanceof VariableTree
                || statement instanceof ReturnTree;
        return simple && finds(statement, this::isRelease);
    }

    /** Whether the lease is closed if the switch enters this case, possibly after falling through to the next one. */
    private boolean closesFrom(int first, List<? extends CaseTree> cases) {
        for (CaseTree each : cases.subList(first, cases.size())) {
            if (each.getCaseKind() == CaseTree.CaseKind.RULE) {
                return each.getBody() instanceof StatementTree body && closes(body);
            }
            for (StatementTree statement : each.getStatements()) {
                if (closes(statement) || mayThrow(statement)) {
                    return closes(statement);
                }
            }
        }
        return false;
    }

    private boolean isRelease(Tree tree) {
        return tree instanceof MethodInvocationTree call && LockApi.RELEASE.matches(call, state) && isOnLease(call);
    }

    /** Whether there is no lease if the condition has this outcome. */
    private boolean isAbsent(boolean outcome, @Nullable ExpressionTree condition) {
        return new AbsentLeases(this::answer, state)
                .when(outcome, condition).stream().anyMatch(this::isLease);
    }

    /** Whether the condition depends on the lease, or on a variable that says whether there is one. */
    private boolean asksForTheLease(ExpressionTree condition) {
        return asksForTheLease(condition, MAX_STEPS);
    }

    private boolean asksForTheLease(ExpressionTree condition, int steps) {
        return finds(
                condition,
                tree -> isLease(tree)
                        || (tree instanceof IdentifierTree name
                                && steps > 0
                                && answers(name).stream().anyMatch(each -> asksForTheLease(each, steps - 1))));
    }

    /** The first value of a boolean variable in the same block; otherwise the name itself. */
    private ExpressionTree answer(ExpressionTree name) {
        List<ExpressionTree> answers = answers(name);
        return answers.isEmpty() ? name : answers.get(0);
    }

    /** All values that a boolean variable is set to in the same block, including its declaration. */
    private List<ExpressionTree> answers(ExpressionTree name) {
        BlockTree block = blockOfTaking();
        Type type = ASTHelpers.getType(name);
        if (block == null || type == null || !type.hasTag(TypeTag.BOOLEAN)) {
            return List.of();
        }
        Symbol symbol = ASTHelpers.getSymbol(name);
        List<ExpressionTree> answers = new ArrayList<>();
        for (StatementTree each : block.getStatements()) {
            if (each instanceof VariableTree variable
                    && variable.getInitializer() != null
                    && ASTHelpers.getSymbol(variable).equals(symbol)) {
                answers.add(variable.getInitializer());
            } else if (each instanceof ExpressionStatementTree statement
                    && statement.getExpression() instanceof AssignmentTree assignment
                    && Objects.equals(ASTHelpers.getSymbol(assignment.getVariable()), symbol)) {
                answers.add(assignment.getExpression());
            }
        }
        return answers;
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

    /** Whether a condition that does not depend on the lease can skip the try statement. */
    private boolean isConditional(BlockTree block) {
        for (TreePath at = closing; at.getLeaf() != block; at = at.getParentPath()) {
            if (at.getLeaf() instanceof IfTree choice
                    && choice.getElseStatement() == null
                    && !asksForTheLease(choice.getCondition())) {
                return true;
            }
        }
        return false;
    }

    private boolean isLease(Tree tree) {
        return tree instanceof IdentifierTree && lease.equals(ASTHelpers.getSymbol(tree));
    }

    private boolean mayLeave(StatementTree statement) {
        boolean exitsAreFine = (statement instanceof IfTree choice && asksForTheLease(choice.getCondition()))
                || finds(statement, tree -> isRelease(tree) || isTryOfTheLease(tree));
        boolean failuresAreFine = closesIfSomethingFails(statement);
        return (!exitsAreFine && jumps(statement))
                || finds(
                        statement,
                        tree -> (!exitsAreFine && (tree instanceof ReturnTree || tree instanceof ThrowTree))
                                || (!failuresAreFine
                                        && tree instanceof MethodInvocationTree call
                                        && LockApi.ACQUIRES.matches(call, state)));
    }

    /** Whether the statement leaves the block with a jump to the enclosing loop or switch. */
    private boolean jumps(Tree statement) {
        return finds(
                statement,
                tree -> tree instanceof BreakTree || tree instanceof ContinueTree,
                tree -> tree instanceof WhileLoopTree
                        || tree instanceof DoWhileLoopTree
                        || tree instanceof ForLoopTree
                        || tree instanceof EnhancedForLoopTree
                        || tree instanceof LabeledStatementTree
                        || tree instanceof SwitchTree
                        || tree instanceof SwitchExpressionTree);
    }

    /** {@code try { two = locks.acquire(…); } catch (RuntimeException e) { one.close(); throw e; }}. */
    private boolean closesIfSomethingFails(StatementTree statement) {
        return statement instanceof TryTree attempt
                && attempt.getCatches().stream().anyMatch(each -> finds(each.getBlock(), this::isRelease));
    }

    private boolean isTryOfTheLease(Tree tree) {
        return tree instanceof TryTree attempt
                && attempt.getResources().stream()
                        .map(each -> each instanceof VariableTree variable ? variable.getInitializer() : each)
                        .anyMatch(this::isLeaseOrUnwrapped);
    }

    private boolean isLeaseOrUnwrapped(Tree tree) {
        return isLease(tree)
                || (tree instanceof MethodInvocationTree call
                        && LockApi.UNWRAP.matches(call, state)
                        && isOnLease(call));
    }

    private boolean mayThrow(Tree statement) {
        if (statement instanceof IfTree choice) {
            return mayThrow(choice.getCondition())
                    || (!isAbsent(true, choice.getCondition()) && mayLeakIn(choice.getThenStatement()))
                    || (!isAbsent(false, choice.getCondition()) && mayLeakIn(choice.getElseStatement()));
        }
        return jumps(statement)
                || finds(
                        statement,
                        tree -> tree instanceof ReturnTree
                                || tree instanceof ThrowTree
                                || tree instanceof NewClassTree
                                || (tree instanceof MethodInvocationTree call && !isOnLease(call)));
    }

    private boolean mayLeakIn(@Nullable StatementTree branch) {
        return branch != null && !closes(branch) && mayThrow(branch);
    }

    /** Whether it is a call on the lease, or on the content of the optional. */
    private boolean isOnLease(MethodInvocationTree call) {
        ExpressionTree receiver = ASTHelpers.getReceiver(call);
        return receiver != null && isLeaseOrUnwrapped(receiver);
    }

    /** Searches the code that runs at this point, except branches that run only without a lease. */
    private boolean finds(@Nullable Tree where, Predicate<Tree> what) {
        return finds(where, what, tree -> false);
    }

    private boolean finds(@Nullable Tree where, Predicate<Tree> what, Predicate<Tree> closed) {
        return Boolean.TRUE.equals(
                new TreeScanner<Boolean, @Nullable Void>() {
                    @Override
                    public Boolean scan(@Nullable Tree tree, @Nullable Void nothing) {
                        if (tree == null
                                || tree instanceof LambdaExpressionTree
                                || tree instanceof ClassTree
                                || closed.test(tree)) {
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
                    public Boolean visitWhileLoop(WhileLoopTree tree, @Nullable Void nothing) {
                        return scan(tree.getCondition(), null)
                                || (!isAbsent(true, tree.getCondition()) && scan(tree.getStatement(), null));
                    }

                    @Override
                    public Boolean visitForLoop(ForLoopTree tree, @Nullable Void nothing) {
                        return Boolean.TRUE.equals(scan(tree.getInitializer(), null))
                                || scan(tree.getCondition(), null)
                                || (!isAbsent(true, tree.getCondition())
                                        && (scan(tree.getStatement(), null)
                                                || Boolean.TRUE.equals(scan(tree.getUpdate(), null))));
                    }

                    @Override
                    public Boolean visitConditionalExpression(ConditionalExpressionTree tree, @Nullable Void nothing) {
                        ExpressionTree condition = tree.getCondition();
                        return scan(condition, null)
                                || (!isAbsent(true, condition) && scan(tree.getTrueExpression(), null))
                                || (!isAbsent(false, condition) && scan(tree.getFalseExpression(), null));
                    }

                    @Override
                    public Boolean reduce(Boolean one, Boolean other) {
                        return Boolean.TRUE.equals(one) || Boolean.TRUE.equals(other);
                    }
                }.scan(where, null));
    }
}
