package dev.interlock.errorprone;

import com.google.errorprone.BugPattern;
import com.google.errorprone.BugPattern.SeverityLevel;
import com.google.errorprone.VisitorState;
import com.google.errorprone.bugpatterns.BugChecker;
import com.google.errorprone.bugpatterns.BugChecker.MemberReferenceTreeMatcher;
import com.google.errorprone.bugpatterns.BugChecker.MethodInvocationTreeMatcher;
import com.google.errorprone.fixes.SuggestedFix;
import com.google.errorprone.matchers.Description;
import com.google.errorprone.matchers.UnusedReturnValueMatcher;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MethodInvocationTree;

/**
 * Finds leases that are not closed on every path. Their locks stay held until the lease expires.
 *
 * <p>A lease that is returned, stored or passed on is not reported: the code that receives it must close it.
 *
 * @since 0.1.0
 */
@BugPattern(
        summary = "A lease is not closed on every path, so its lock stays held",
        severity = SeverityLevel.ERROR,
        linkType = BugPattern.LinkType.NONE)
public final class InterlockUnclosedLease extends BugChecker
        implements MethodInvocationTreeMatcher, MemberReferenceTreeMatcher {
    private static final long serialVersionUID = 1;
    private static final String NEVER = "This lease is never closed: the lock stays held until the lease expires.";
    private static final String SOMETIMES =
            "This lease is not closed on every path: if an earlier statement returns or throws, the lock stays held"
                    + " until the lease expires.";
    private static final String ADVICE =
            " Use try-with-resources: try (Lease lease = locks.acquire(key)) { … }, or use locks.run(key, lease -> …).";

    @Override
    public Description matchMethodInvocation(MethodInvocationTree call, VisitorState state) {
        boolean tries = LockApi.TRY_ACQUIRE.matches(call, state);
        if (!tries && !LockApi.ACQUIRE.matches(call, state)) {
            return Description.NO_MATCH;
        }
        if (UnusedReturnValueMatcher.isReturnValueUnused(call, state)
                && (tries
                        || UnusedReturnValueMatcher.expectedExceptionTest(state)
                        || UnusedReturnValueMatcher.mockitoInvocation(call, state))) {
            return Description.NO_MATCH; // another check reports it, or a test expects that the lock is refused
        }
        return switch (new LeaseUses(state).dispositionOf(state.getPath())) {
            case CLOSED, HANDED_ON -> Description.NO_MATCH;
            case DROPPED -> describe(call, NEVER, TryFix.around(state));
            case CLOSED_SOMETIMES -> describe(call, SOMETIMES, TryFix.around(state));
        };
    }

    @Override
    public Description matchMemberReference(MemberReferenceTree reference, VisitorState state) {
        boolean dropped = LockApi.ACQUIRE.matches(reference, state)
                && UnusedReturnValueMatcher.isReturnValueUnused(reference, state)
                && !UnusedReturnValueMatcher.expectedExceptionTest(state);
        return dropped ? describe(reference, NEVER, SuggestedFix.emptyFix()) : Description.NO_MATCH;
    }

    private Description describe(ExpressionTree place, String what, SuggestedFix fix) {
        return buildDescription(place).setMessage(what + ADVICE).addFix(fix).build();
    }
}
