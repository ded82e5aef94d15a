package dev.interlock.errorprone;

import com.google.errorprone.VisitorState;
import com.google.errorprone.util.ASTHelpers;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.tools.javac.code.Symbol.VarSymbol;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.ElementKind;
import org.jspecify.annotations.Nullable;

/**
 * Determines what happens to a lease, or to an optional one, after it is acquired.
 *
 * <p>Follows it into one local variable, or into the parameter of a lambda that visits the optional. Code that receives
 * the lease from there owns it, and nothing is reported.
 */
final class LeaseUses {
    private final VisitorState state;

    LeaseUses(VisitorState state) {
        this.state = state;
    }

    /** Determines what happens to the result of this call. */
    LeaseDisposition dispositionOf(TreePath call) {
        return dispositionOf(call, LockApi.TRY_ACQUIRE.matches((ExpressionTree) call.getLeaf(), state));
    }

    /** The local variable whose initializer is this call, if there is one. */
    static @Nullable TreePath declaration(TreePath call) {
        TreePath parent = call.getParentPath();
        boolean local = parent.getLeaf() instanceof VariableTree variable
                && ASTHelpers.getSymbol(variable).getKind() == ElementKind.LOCAL_VARIABLE;
        return local ? parent : null;
    }

    private LeaseDisposition dispositionOf(TreePath value, boolean optional) {
        TreePath up = value.getParentPath();
        Tree parent = up.getLeaf();
        if (parent instanceof ParenthesizedTree
                || parent instanceof TypeCastTree
                || parent instanceof ConditionalExpressionTree) {
            return dispositionOf(up, optional);
        }
        if (parent instanceof VariableTree variable) {
            return dispositionOfVariable(ASTHelpers.getSymbol(variable), value, optional);
        }
        if (parent instanceof AssignmentTree assignment) {
            return ASTHelpers.getSymbol(assignment.getVariable()) instanceof VarSymbol variable
                    ? dispositionOfVariable(variable, value, optional)
                    : LeaseDisposition.HANDED_ON;
        }
        if (parent instanceof MemberSelectTree && up.getParentPath().getLeaf() instanceof MethodInvocationTree call) {
            return optional ? dispositionOfOptional(call, up.getParentPath()) : dispositionOfReceiver(call);
        }
        if (parent instanceof MethodInvocationTree call) {
            return LockApi.onlyReads(ASTHelpers.getSymbol(call))
                    ? LeaseDisposition.DROPPED
                    : LeaseDisposition.HANDED_ON;
        }
        boolean ignored = parent instanceof ExpressionStatementTree
                || (parent instanceof LambdaExpressionTree lambda && givesNothing(lambda));
        return ignored ? LeaseDisposition.DROPPED : LeaseDisposition.HANDED_ON;
    }

    private boolean givesNothing(LambdaExpressionTree lambda) {
        return ASTHelpers.isVoidType(
                state.getTypes().findDescriptorType(ASTHelpers.getType(lambda)).getReturnType(), state);
    }

    private LeaseDisposition dispositionOfReceiver(MethodInvocationTree call) {
        return LockApi.RELEASE.matches(call, state) ? LeaseDisposition.CLOSED : LeaseDisposition.DROPPED;
    }

    private LeaseDisposition dispositionOfOptional(MethodInvocationTree call, TreePath path) {
        if (LockApi.UNWRAP.matches(call, state)) {
            return dispositionOf(path, false);
        }
        if (LockApi.VISIT.matches(call, state)) {
            LeaseDisposition disposition =
                    dispositionOfVisit(call.getArguments().get(0), path);
            return disposition == LeaseDisposition.DROPPED && LockApi.FILTER.matches(call, state)
                    ? dispositionOf(path, true)
                    : disposition;
        }
        return LockApi.INSPECT.matches(call, state) ? LeaseDisposition.DROPPED : LeaseDisposition.HANDED_ON;
    }

    private LeaseDisposition dispositionOfVisit(ExpressionTree visitor, TreePath call) {
        if (visitor instanceof LambdaExpressionTree lambda) {
            VarSymbol lease = ASTHelpers.getSymbol(lambda.getParameters().get(0));
            return new Variable(lease, new TreePath(call, lambda), null, false).disposition();
        }
        if (visitor instanceof MemberReferenceTree reference && LockApi.onlyReads(ASTHelpers.getSymbol(reference))) {
            return LockApi.RELEASE.matches(reference, state) ? LeaseDisposition.CLOSED : LeaseDisposition.DROPPED;
        }
        return LeaseDisposition.HANDED_ON;
    }

    private LeaseDisposition dispositionOfVariable(VarSymbol variable, TreePath value, boolean optional) {
        if (variable.getKind() == ElementKind.RESOURCE_VARIABLE) {
            return LeaseDisposition.CLOSED;
        }
        if (variable.getKind() != ElementKind.LOCAL_VARIABLE) {
            return LeaseDisposition.HANDED_ON;
        }
        TreePath body = value;
        while (!isBody(body.getLeaf())) {
            body = body.getParentPath();
        }
        return new Variable(variable, body, value, optional).disposition();
    }

    private static boolean isBody(Tree tree) {
        return tree instanceof MethodTree || tree instanceof LambdaExpressionTree || tree instanceof ClassTree;
    }

    /** The uses of one variable in the body of one method or lambda. */
    private final class Variable extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final VarSymbol lease;
        private final TreePath body;
        private final @Nullable TreePath taken;
        private final boolean optional;
        private final List<LeaseDisposition> dispositions = new ArrayList<>();
        private boolean closedIfSomethingFails;
        private boolean closedIfNothingFails;

        /** @param taken where the variable gets the lease; null if it has the lease from the start */
        Variable(VarSymbol lease, TreePath body, @Nullable TreePath taken, boolean optional) {
            this.lease = lease;
            this.body = body;
            this.taken = taken;
            this.optional = optional;
        }

        LeaseDisposition disposition() {
            Tree leaf = body.getLeaf();
            Tree inside = leaf instanceof LambdaExpressionTree lambda ? lambda.getBody() : leaf;
            scan(inside == leaf ? body : new TreePath(body, inside), null);
            if (closedIfSomethingFails && closedIfNothingFails) {
                dispositions.add(LeaseDisposition.CLOSED);
            }
            for (LeaseDisposition each :
                    List.of(LeaseDisposition.HANDED_ON, LeaseDisposition.CLOSED, LeaseDisposition.CLOSED_SOMETIMES)) {
                if (dispositions.contains(each)) {
                    return each;
                }
            }
            return LeaseDisposition.DROPPED;
        }

        @Override
        public @Nullable Void visitIdentifier(IdentifierTree tree, @Nullable Void nothing) {
            if (lease.equals(ASTHelpers.getSymbol(tree))) {
                LeaseDisposition disposition = dispositionOfUse(getCurrentPath());
                if (disposition != LeaseDisposition.DROPPED) {
                    dispositions.add(runsElsewhere(getCurrentPath()) ? LeaseDisposition.HANDED_ON : disposition);
                }
            }
            return null;
        }

        /** What this use does to the lease. {@code DROPPED} stands for nothing. */
        private LeaseDisposition dispositionOfUse(TreePath use) {
            TreePath up = use.getParentPath();
            Tree parent = up.getLeaf();
            if (parent instanceof ParenthesizedTree) {
                return dispositionOfUse(up);
            }
            if (parent instanceof BinaryTree) {
                return LeaseDisposition.DROPPED;
            }
            if (parent instanceof TryTree) {
                return closedBy(up);
            }
            if (parent instanceof VariableTree variable
                    && ASTHelpers.getSymbol(variable).getKind() == ElementKind.RESOURCE_VARIABLE) {
                return closedBy(up.getParentPath());
            }
            if (parent instanceof AssignmentTree assignment && assignment.getVariable() == use.getLeaf()) {
                return LeaseDisposition.DROPPED;
            }
            if (parent instanceof MethodInvocationTree || parent instanceof NewClassTree) {
                return LockApi.onlyReads(ASTHelpers.getSymbol(parent))
                        ? LeaseDisposition.DROPPED
                        : LeaseDisposition.HANDED_ON;
            }
            return parent instanceof MemberSelectTree
                            && up.getParentPath().getLeaf() instanceof MethodInvocationTree call
                    ? dispositionOfCallOn(call, up.getParentPath())
                    : LeaseDisposition.HANDED_ON;
        }

        private LeaseDisposition dispositionOfCallOn(MethodInvocationTree call, TreePath path) {
            if (!optional) {
                return LockApi.RELEASE.matches(call, state) ? released(path) : LeaseDisposition.DROPPED;
            }
            if (!LockApi.UNWRAP.matches(call, state)) {
                return dispositionOfOptional(call, path);
            }
            Tree next = path.getParentPath().getLeaf();
            boolean released = next instanceof MemberSelectTree
                    && path.getParentPath().getParentPath().getLeaf() instanceof MethodInvocationTree end
                    && LockApi.RELEASE.matches(end, state);
            if (released) {
                return released(path);
            }
            LeaseDisposition disposition = dispositionOf(path, false);
            return disposition == LeaseDisposition.CLOSED
                    ? closedBy(path)
                    : disposition; // if the path reaches the place where it is unwrapped
        }

        /**
         * A release in a finally block covers every path. Any other release does so only if nothing before it can fail.
         */
        private LeaseDisposition released(TreePath use) {
            Tree child = use.getLeaf();
            boolean inCatch = false;
            for (TreePath at = use.getParentPath();
                    at != null && at.getLeaf() != body.getLeaf();
                    at = at.getParentPath()) {
                if (at.getLeaf() instanceof TryTree attempt && attempt.getFinallyBlock() == child) {
                    return closedBy(at);
                }
                inCatch |= at.getLeaf() instanceof CatchTree;
                child = at.getLeaf();
            }
            closedIfSomethingFails |= inCatch;
            closedIfNothingFails |= !inCatch;
            return new ClosingPath(lease, taken, body, use, state).isQuiet()
                    ? LeaseDisposition.CLOSED
                    : LeaseDisposition.CLOSED_SOMETIMES;
        }

        private LeaseDisposition closedBy(TreePath closing) {
            return new ClosingPath(lease, taken, body, closing, state).isSafe()
                    ? LeaseDisposition.CLOSED
                    : LeaseDisposition.CLOSED_SOMETIMES;
        }

        /** Whether the use is in a lambda or class, which may run later or on another thread. */
        private boolean runsElsewhere(TreePath use) {
            Tree child = use.getLeaf();
            for (TreePath at = use.getParentPath();
                    at != null && at.getLeaf() != body.getLeaf();
                    at = at.getParentPath()) {
                boolean visits = at.getParentPath().getLeaf() instanceof MethodInvocationTree call
                        && (LockApi.VISIT.matches(call, state) || LockApi.WORK.matches(call, state));
                if (at.getLeaf() instanceof ClassTree
                        || (at.getLeaf() instanceof LambdaExpressionTree lambda
                                && lambda.getBody() == child
                                && !visits)) {
                    return true;
                }
                child = at.getLeaf();
            }
            return false;
        }
    }
}
