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
 * Finds nested locks that are waited for against the declared order, which at run time can deadlock or is refused.
 *
 * <p>The order is what {@code -XepOpt:Interlock:Order=…} names, or the one that the file itself declares; without either there is nothing to
 * compare. Asking without patience cannot deadlock, so it may go against the order; what it gets is held like anything else.
 */
@BugPattern(
        summary = "Nested locks are waited for against the declared order, which can deadlock",
        severity = SeverityLevel.ERROR,
        linkType = BugPattern.LinkType.NONE)
public final class InterlockLockOrder extends BugChecker implements CompilationUnitTreeMatcher {
    private static final long serialVersionUID = 1;

    /** What the option names, once it was read. */
    private transient @Nullable LockOrder named;

    private boolean read;

    @Override
    public Description matchCompilationUnit(CompilationUnitTree unit, VisitorState state) {
        Sources sources = new Sources(unit, state);
        StaticValues values = new StaticValues(sources, state);
        LockOrder order = orderFor(unit, new OrderSource(sources, values, state), state);
        if (order != null) {
            Requests requests = new Requests(values, new LockNames(values, state), state);
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

    /** Compares what is asked for with what is held, and reports each place once. */
    private final class Findings implements NestingWalk.Listener {
        private final DeclaredOrder order;
        private final CompilationUnitTree unit;
        private final VisitorState state;
        private final Set<String> told = new HashSet<>();

        Findings(DeclaredOrder order, CompilationUnitTree unit, VisitorState state) {
            this.order = order;
            this.unit = unit;
            this.state = state;
        }

        @Override
        public void asked(Asked asked, MethodInvocationTree verb, List<Held> held, List<Tree> path) {
            asked.keys().stream().filter(order::refuses).findFirst().ifPresent(key -> report(verb, undeclared(key)));
            if (!asked.counts()) {
                return;
            }
            for (Held one : held) {
                if (!one.asked().asksTheSameAs(asked)) {
                    continue; // perhaps another process's, or another namespace
                }
                for (StaticKey wanted : asked.keys()) {
                    for (StaticKey has : one.keys()) {
                        String wrong = judge(asked, wanted, has, one, held);
                        if (wrong != null) {
                            boolean here = one.depth() == path.size();
                            report(here ? verb : path.get(one.depth()), here ? wrong : viaCall(verb) + wrong);
                            return;
                        }
                    }
                }
            }
        }

        private @Nullable String judge(Asked asked, StaticKey wanted, StaticKey has, Held one, List<Held> held) {
            return switch (order.relation(wanted, has)) {
                case FINE -> null;
                case SAME -> asked.reentrant() ? null : again(wanted, one);
                case BEFORE ->
                    asked.waits() && !(asked.reentrant() && mayJoin(wanted, held)) ? against(wanted, has, one) : null;
            };
        }

        private boolean mayJoin(StaticKey wanted, List<Held> held) {
            return held.stream().flatMap(one -> one.keys().stream()).anyMatch(wanted::mayBe);
        }

        private String against(StaticKey wanted, StaticKey has, Held one) {
            return "Waits for \"" + wanted + "\" while \"" + has + "\" is held since line " + lineOf(one.place())
                    + ", against the declared order (" + order
                    + "): it can deadlock with code that keeps the order. Take \"" + wanted
                    + "\" first, or both at once with locks.with(List.of(…)), or ask without patience: tryAcquire(key).";
        }

        private String again(StaticKey wanted, Held one) {
            return "Takes \"" + wanted + "\" again, which is held since line " + lineOf(one.place())
                    + ": this is refused at run time. Pass the lease along, or ask with reentrant() to join it.";
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
            if (told.add(ASTHelpers.getStartPosition(place) + message)) {
                state.reportMatch(buildDescription(place).setMessage(message).build());
            }
        }
    }
}
