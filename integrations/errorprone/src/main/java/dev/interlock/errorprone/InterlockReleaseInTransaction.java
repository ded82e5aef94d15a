package dev.interlock.errorprone;

import com.google.errorprone.BugPattern;
import com.google.errorprone.BugPattern.SeverityLevel;
import com.google.errorprone.VisitorState;
import com.google.errorprone.bugpatterns.BugChecker;
import com.google.errorprone.bugpatterns.BugChecker.MethodInvocationTreeMatcher;
import com.google.errorprone.matchers.Description;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.TreePath;
import com.sun.tools.javac.code.Symbol.MethodSymbol;
import org.jspecify.annotations.Nullable;

/**
 * Finds locks that a transactional method acquires and releases itself. The commit comes after the method, so the next
 * holder reads the old data.
 *
 * <p>Recognizes transactions that are declared with annotations of Spring and Jakarta on the method or its class.
 *
 * @since 0.1.0
 */
@BugPattern(
        summary = "The lock is released before the surrounding transaction ends",
        severity = SeverityLevel.ERROR,
        linkType = BugPattern.LinkType.NONE)
public final class InterlockReleaseInTransaction extends BugChecker implements MethodInvocationTreeMatcher {
    private static final long serialVersionUID = 1;

    @Override
    public Description matchMethodInvocation(MethodInvocationTree call, VisitorState state) {
        if (!LockApi.ACQUIRES.matches(call, state)) {
            return Description.NO_MATCH;
        }
        MethodSymbol method = methodThatRuns(state.getPath(), state);
        if (method == null || !TransactionalMethods.applyTo(method, state) || !isClosedHere(call, state)) {
            return Description.NO_MATCH;
        }
        return buildDescription(call)
                .setMessage("This lock is released before the transaction of " + method.getSimpleName()
                        + "() ends, so the next holder reads the data as it was before the commit. Take the lock"
                        + " outside, around the call of the transactional method; or tie it to the transaction with"
                        + " TransactionLeases.acquire(connection, locks.with(key)) of interlock-transactions, or let"
                        + " LockedTransactions begin and commit.")
                .build();
    }

    private static boolean isClosedHere(MethodInvocationTree call, VisitorState state) {
        return LockApi.WORK.matches(call, state)
                || new LeaseUses(state).dispositionOf(state.getPath()).isClosedHere();
    }

    /** The method that runs this code directly, not from a lambda or class that may run later. */
    private static @Nullable MethodSymbol methodThatRuns(TreePath code, VisitorState state) {
        for (TreePath at = code; at != null; at = at.getParentPath()) {
            if (at.getLeaf() instanceof MethodTree method) {
                return ASTHelpers.getSymbol(method);
            }
            if (at.getLeaf() instanceof ClassTree
                    || (at.getLeaf() instanceof LambdaExpressionTree && !runsAtOnce(at.getParentPath(), state))) {
                return null;
            }
        }
        return null;
    }

    private static boolean runsAtOnce(TreePath call, VisitorState state) {
        return call.getLeaf() instanceof ExpressionTree to
                && (LockApi.WORK.matches(to, state)
                        || LockApi.VISIT.matches(to, state)
                        || LockApi.EACH.matches(to, state));
    }
}
