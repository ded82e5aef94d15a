package dev.interlock.errorprone;

import com.google.errorprone.BugPattern;
import com.google.errorprone.BugPattern.SeverityLevel;
import com.google.errorprone.VisitorState;
import com.google.errorprone.bugpatterns.BugChecker;
import com.google.errorprone.bugpatterns.BugChecker.MethodInvocationTreeMatcher;
import com.google.errorprone.matchers.Description;
import com.google.errorprone.matchers.UnusedReturnValueMatcher;
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
public final class InterlockUnclosedLease extends BugChecker implements MethodInvocationTreeMatcher {
    private static final long serialVersionUID = 1;
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
            case DROPPED ->
                describe(call, "This lease is never closed: the lock stays taken until it ends by itself.", state);
            case CLOSED_SOMETIMES ->
                describe(
                        call,
                        "This lease is not closed on every path: if something before that returns or throws, the lock stays taken until it ends by itself.",
                        state);
        };
    }

    private Description describe(MethodInvocationTree call, String what, VisitorState state) {
        return buildDescription(call)
                .setMessage(what + ADVICE)
                .addFix(TryFix.around(state))
                .build();
    }
}
