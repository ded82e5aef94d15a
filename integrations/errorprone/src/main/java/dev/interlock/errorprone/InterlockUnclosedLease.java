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
 * Finds leases that are not closed on every path, so that the lock stays taken until the lease ends by itself.
 *
 * <p>Silent about a lease that is returned, stored or handed to somebody else: whoever has it has to close it.
 */
@BugPattern(
        summary = "A lease is not closed on every path, so its lock stays taken",
        severity = SeverityLevel.ERROR,
        linkType = BugPattern.LinkType.NONE)
public final class InterlockUnclosedLease extends BugChecker
        implements MethodInvocationTreeMatcher, MemberReferenceTreeMatcher {
    private static final long serialVersionUID = 1;
    private static final String NEVER = "This lease is never closed: the lock stays taken until it ends by itself.";
    private static final String SOMETIMES =
            "This lease is not closed on every path: if something before that returns or throws, the lock stays taken until it ends by itself.";
    private static final String ADVICE =
            " Put it into try-with-resources: try (Lease lease = locks.acquire(key)) { … }, or use locks.run(key, lease -> …).";

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
            return Description
                    .NO_MATCH; // another check says so; or it is a test that the lock is refused, or asked for
        }
        return switch (new LeaseUses(state).fateOf(state.getPath())) {
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
