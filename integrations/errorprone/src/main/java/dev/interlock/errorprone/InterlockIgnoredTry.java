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

/** Finds tries whose answer nobody looks at: whether the lock was got, whether the work was done. */
@BugPattern(
        summary = "Nobody looks whether the lock was got",
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
        boolean ignored = LockApi.ANSWERS.matches(tree, state)
                && UnusedReturnValueMatcher.isReturnValueUnused(tree, state)
                && !UnusedReturnValueMatcher.expectedExceptionTest(state)
                && !UnusedReturnValueMatcher.mockitoInvocation(tree, state);
        return ignored ? buildDescription(tree).setMessage(message(tree)).build() : Description.NO_MATCH;
    }

    private static String message(ExpressionTree tree) {
        return switch (ASTHelpers.getSymbol(tree).getSimpleName().toString()) {
            case "tryRun" ->
                "Nobody looks at the answer of tryRun: false means that somebody else has the lock and the work was not done."
                        + " Write if (!locks.tryRun(…)) { … }, or use run, which waits. If it does not matter, say so: boolean unused = locks.tryRun(…).";
            case "tryAcquire" ->
                "Nobody looks at the answer of tryAcquire: if the lock was free it is held now, and nobody can close it."
                        + " Write locks.tryAcquire(key).ifPresent(lease -> { try (lease) { … } }), or use acquire, which waits.";
            default ->
                "Nobody looks at the answer of acquireAsync: the lock will be held, and nobody can close it."
                        + " Write locks.acquireAsync(key).thenAccept(lease -> { try (lease) { … } }), or keep the stage to cancel it.";
        };
    }
}
