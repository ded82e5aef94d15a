package dev.interlock.errorprone;

import com.google.errorprone.BugPattern;
import com.google.errorprone.BugPattern.SeverityLevel;
import com.google.errorprone.VisitorState;
import com.google.errorprone.bugpatterns.BugChecker;
import com.google.errorprone.bugpatterns.BugChecker.CompilationUnitTreeMatcher;
import com.google.errorprone.matchers.Description;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import dev.interlock.lock.LockOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds nested locks that wait against the declared lock order. At run time they can deadlock or are refused.
 *
 * <p>The order is the one that {@code -XepOpt:Interlock:Order=…} names, or else the one that the file declares. Without
 * an order the check reports nothing. A request without patience cannot deadlock, so it may go against the order; its
 * lock counts as held like any other.
 *
 * @since 0.1.0
 */
@BugPattern(
        summary = "Nested locks wait against the declared lock order, which can deadlock",
        severity = SeverityLevel.ERROR,
        linkType = BugPattern.LinkType.NONE)
public final class InterlockLockOrder extends BugChecker implements CompilationUnitTreeMatcher {
    private static final long serialVersionUID = 1;

    /** The order that the option names, once it has been read. */
    private transient @Nullable LockOrder named;

    private boolean read;

    @Override
    public Description matchCompilationUnit(CompilationUnitTree unit, VisitorState state) {
        SourceIndex sources = new SourceIndex(unit, state);
        StaticValues values = new StaticValues(sources, state);
        LockOrder order = orderFor(unit, new OrderSource(sources, values, state), state);
        if (order != null) {
            RequestReader requests = new RequestReader(values, new StaticNames(values, state), state);
            Findings findings = new Findings(new DeclaredOrder(order), unit, state);
            new NestingWalk(sources, values, requests, tree -> isSuppressed(tree, state), findings, state)
                    .walk(unit.getTypeDecls());
        }
        return Description.NO_MATCH;
    }

    private @Nullable LockOrder orderFor(CompilationUnitTree unit, OrderSource source, VisitorState state) {
        String option =
                state.errorProneOptions().getFlags().get(OrderSource.OPTION).orElse(null);
        if (option == null) {
            return source.ownOrder(unit);
        }
        if (!read) {
            read = true;
            try {
                named = source.named(option);
            } catch (OrderSource.Unreadable unreadable) {
                Tree place = unit.getTypeDecls().isEmpty()
                        ? unit
                        : unit.getTypeDecls().get(0);
                state.reportMatch(buildDescription(place)
                        .setMessage(String.valueOf(unreadable.getMessage()))
                        .build());
            }
        }
        return named;
    }

    /** Compares each request with the held locks, and reports each place once. */
    private final class Findings implements NestingWalk.Listener {
        private final DeclaredOrder order;
        private final CompilationUnitTree unit;
        private final VisitorState state;
        private final Set<String> reported = new HashSet<>();

        Findings(DeclaredOrder order, CompilationUnitTree unit, VisitorState state) {
            this.order = order;
            this.unit = unit;
            this.state = state;
        }

        @Override
        public void requested(StaticRequest request, MethodInvocationTree verb, List<HeldLock> held, List<Tree> path) {
            request.keys().stream().filter(order::refuses).findFirst().ifPresent(key -> report(verb, undeclared(key)));
            if (!request.isTracked()) {
                return;
            }
            for (HeldLock one : held) {
                if (!one.request().usesSameLocksAs(request)) {
                    continue; // may belong to another process or namespace
                }
                for (StaticKey wanted : request.keys()) {
                    for (StaticKey has : one.keys()) {
                        String problem = check(request, wanted, has, one, held);
                        if (problem != null) {
                            boolean here = one.depth() == path.size();
                            report(here ? verb : path.get(one.depth()), here ? problem : viaCall(verb) + problem);
                            return;
                        }
                    }
                }
            }
        }

        private @Nullable String check(
                StaticRequest request, StaticKey wanted, StaticKey has, HeldLock one, List<HeldLock> held) {
            return switch (order.relation(wanted, has)) {
                case FINE -> null;
                case SAME -> request.reentrant() ? null : again(wanted, one);
                case BEFORE ->
                    request.waits() && !(request.reentrant() && mayJoin(wanted, held))
                            ? against(wanted, has, one)
                            : null;
            };
        }

        private boolean mayJoin(StaticKey wanted, List<HeldLock> held) {
            return held.stream().flatMap(one -> one.keys().stream()).anyMatch(wanted::mayBe);
        }

        private String against(StaticKey wanted, StaticKey has, HeldLock one) {
            return "Waits for \"" + wanted + "\" while \"" + has + "\" is held since line " + lineOf(one.place())
                    + ", against the declared order (" + order
                    + "): this can deadlock with code that follows the order. Acquire \"" + wanted
                    + "\" first, or both at once with locks.with(List.of(…)), or request it without patience:"
                    + " tryAcquire(key).";
        }

        private String again(StaticKey wanted, HeldLock one) {
            return "Acquires \"" + wanted + "\" again, which is held since line " + lineOf(one.place())
                    + ": this is refused at run time. Pass the lease to this code, or use reentrant() to join it.";
        }

        private String undeclared(StaticKey key) {
            return "The lock type of \"" + key + "\" is not declared, and the order is closed (" + order
                    + "): this is refused at run time. Correct the name, or add the type to the order.";
        }

        private String viaCall(Tree verb) {
            return "This call leads to line " + lineOf(verb) + ". ";
        }

        private long lineOf(Tree tree) {
            return unit.getLineMap().getLineNumber(ASTHelpers.getStartPosition(tree));
        }

        private void report(Tree place, String message) {
            if (reported.add(ASTHelpers.getStartPosition(place) + message)) {
                state.reportMatch(buildDescription(place).setMessage(message).build());
            }
        }
    }
}
