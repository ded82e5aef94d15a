package dev.interlock.errorprone;

import com.google.errorprone.BugPattern;
import com.google.errorprone.BugPattern.SeverityLevel;
import com.google.errorprone.VisitorState;
import com.google.errorprone.bugpatterns.BugChecker;
import com.google.errorprone.bugpatterns.BugChecker.MemberReferenceTreeMatcher;
import com.google.errorprone.bugpatterns.BugChecker.MethodInvocationTreeMatcher;
import com.google.errorprone.matchers.Description;
import com.google.errorprone.matchers.UnusedReturnValueMatcher;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MethodInvocationTree;

/**
 * Finds calls of {@code tryAcquire}, {@code tryRun} and {@code acquireAsync} whose result is ignored.
 *
 * @since 0.1.0
 */
@BugPattern(
        summary = "The result of a lock attempt is ignored",
        severity = SeverityLevel.ERROR,
        linkType = BugPattern.LinkType.NONE)
public final class InterlockIgnoredTry extends BugChecker
        implements MethodInvocationTreeMatcher, MemberReferenceTreeMatcher {
    private static final long serialVersionUID = 1;

    @Override
    public Description matchMethodInvocation(MethodInvocationTree tree, VisitorState state) {
        return match(tree, state);
    }

    @Override
    public Description matchMemberReference(MemberReferenceTree tree, VisitorState state) {
        return match(tree, state);
    }

    private Description match(ExpressionTree tree, VisitorState state) {
        boolean ignored = LockApi.RESULT_MATTERS.matches(tree, state)
                && UnusedReturnValueMatcher.isReturnValueUnused(tree, state)
                && !UnusedReturnValueMatcher.expectedExceptionTest(state)
                && !UnusedReturnValueMatcher.mockitoInvocation(tree, state);
        return ignored ? buildDescription(tree).setMessage(message(tree)).build() : Description.NO_MATCH;
    }

    private static String message(ExpressionTree tree) {
        return switch (ASTHelpers.getSymbol(tree).getSimpleName().toString()) {
            case "tryRun" ->
                "The result of tryRun is ignored: false means that another holder has the lock and the work was not"
                        + " done."
                        + " Write if (!locks.tryRun(…)) { … }, or use run, which waits."
                        + " If the result does not matter, write boolean unused = locks.tryRun(…).";
            case "tryAcquire" ->
                "The result of tryAcquire is ignored: if the lock was free, it is now held and cannot be closed."
                        + " Write locks.tryAcquire(key).ifPresent(lease -> { try (lease) { … } }), or use acquire,"
                        + " which waits.";
            default ->
                "The result of acquireAsync is ignored: the lock will be held and cannot be closed."
                        + " Write locks.acquireAsync(key).thenAccept(lease -> { try (lease) { … } }), or keep the stage"
                        + " to cancel it.";
        };
    }
}
