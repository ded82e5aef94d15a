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
 * Finds out what becomes of a lease, or of an optional one, from the place where it is taken.
 *
 * <p>Follows it into one local variable, or into the parameter of a lambda that visits the optional. Whoever gets the lease from there owns it:
 * then nothing is said about it.
 */
final class LeaseUses {
    private final VisitorState state;

    LeaseUses(VisitorState state) {
        this.state = state;
    }

    /** What becomes of what this call gives. */
    LeaseFate fateOf(TreePath call) {
        return fateOf(call, LockApi.TRY_ACQUIRE.matches((ExpressionTree) call.getLeaf(), state));
    }

    /** The local variable that is declared with this call as its value, if there is one. */
    static @Nullable TreePath declaration(TreePath call) {
        TreePath parent = call.getParentPath();
        boolean local = parent.getLeaf() instanceof VariableTree variable
                && ASTHelpers.getSymbol(variable).getKind() == ElementKind.LOCAL_VARIABLE;
        return local ? parent : null;
    }

    private LeaseFate fateOf(TreePath value, boolean optional) {
        TreePath up = value.getParentPath();
        Tree parent = up.getLeaf();
        if (parent instanceof ParenthesizedTree
                || parent instanceof TypeCastTree
                || parent instanceof ConditionalExpressionTree) {
            return fateOf(up, optional);
        }
        if (parent instanceof VariableTree variable) {
            return fateOfVariable(ASTHelpers.getSymbol(variable), value, optional);
        }
        if (parent instanceof AssignmentTree assignment) {
            return ASTHelpers.getSymbol(assignment.getVariable()) instanceof VarSymbol variable
                    ? fateOfVariable(variable, value, optional)
                    : LeaseFate.HANDED_ON;
        }
        if (parent instanceof MemberSelectTree && up.getParentPath().getLeaf() instanceof MethodInvocationTree call) {
            return optional ? fateOfOptional(call, up.getParentPath()) : fateOfReceiver(call);
        }
        if (parent instanceof MethodInvocationTree call) {
            return LockApi.onlyLooks(ASTHelpers.getSymbol(call)) ? LeaseFate.DROPPED : LeaseFate.HANDED_ON;
        }
        boolean ignored = parent instanceof ExpressionStatementTree
                || (parent instanceof LambdaExpressionTree lambda && givesNothing(lambda));
        return ignored ? LeaseFate.DROPPED : LeaseFate.HANDED_ON;
    }

    private boolean givesNothing(LambdaExpressionTree lambda) {
        return ASTHelpers.isVoidType(
                state.getTypes().findDescriptorType(ASTHelpers.getType(lambda)).getReturnType(), state);
    }

    private LeaseFate fateOfReceiver(MethodInvocationTree call) {
        return LockApi.RELEASE.matches(call, state) ? LeaseFate.CLOSED : LeaseFate.DROPPED;
    }

    private LeaseFate fateOfOptional(MethodInvocationTree call, TreePath path) {
        if (LockApi.UNWRAP.matches(call, state)) {
            return fateOf(path, false);
        }
        if (LockApi.VISIT.matches(call, state)) {
            LeaseFate fate = fateOfVisit(call.getArguments().get(0), path);
            return fate == LeaseFate.DROPPED && LockApi.FILTER.matches(call, state) ? fateOf(path, true) : fate;
        }
        return LockApi.LOOK.matches(call, state) ? LeaseFate.DROPPED : LeaseFate.HANDED_ON;
    }

    private LeaseFate fateOfVisit(ExpressionTree visitor, TreePath call) {
        if (visitor instanceof LambdaExpressionTree lambda) {
            VarSymbol lease = ASTHelpers.getSymbol(lambda.getParameters().get(0));
            return new Variable(lease, new TreePath(call, lambda), null, false).fate();
        }
        if (visitor instanceof MemberReferenceTree reference && LockApi.onlyLooks(ASTHelpers.getSymbol(reference))) {
            return LockApi.RELEASE.matches(reference, state) ? LeaseFate.CLOSED : LeaseFate.DROPPED;
        }
        return LeaseFate.HANDED_ON;
    }

    private LeaseFate fateOfVariable(VarSymbol variable, TreePath value, boolean optional) {
        if (variable.getKind() == ElementKind.RESOURCE_VARIABLE) {
            return LeaseFate.CLOSED;
        }
        if (variable.getKind() != ElementKind.LOCAL_VARIABLE) {
            return LeaseFate.HANDED_ON;
        }
        TreePath body = value;
        while (!isBody(body.getLeaf())) {
            body = body.getParentPath();
        }
        return new Variable(variable, body, value, optional).fate();
    }

    private static boolean isBody(Tree tree) {
        return tree instanceof MethodTree || tree instanceof LambdaExpressionTree || tree instanceof ClassTree;
    }

    /** What is done with one variable in the body of one method or lambda. */
    private final class Variable extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final VarSymbol lease;
        private final TreePath body;
        private final @Nullable TreePath taken;
        private final boolean optional;
        private final List<LeaseFate> fates = new ArrayList<>();
        private boolean closedIfSomethingFails;
        private boolean closedIfNothingFails;

        /** @param taken where the lease comes into the variable; null if it is there from the beginning */
        Variable(VarSymbol lease, TreePath body, @Nullable TreePath taken, boolean optional) {
            this.lease = lease;
            this.body = body;
            this.taken = taken;
            this.optional = optional;
        }

        LeaseFate fate() {
            Tree leaf = body.getLeaf();
            Tree inside = leaf instanceof LambdaExpressionTree lambda ? lambda.getBody() : leaf;
            scan(inside == leaf ? body : new TreePath(body, inside), null);
            if (closedIfSomethingFails && closedIfNothingFails) {
                fates.add(LeaseFate.CLOSED);
            }
            for (LeaseFate each : List.of(LeaseFate.HANDED_ON, LeaseFate.CLOSED, LeaseFate.CLOSED_SOMETIMES)) {
                if (fates.contains(each)) {
                    return each;
                }
            }
            return LeaseFate.DROPPED;
        }

        @Override
        public @Nullable Void visitIdentifier(IdentifierTree tree, @Nullable Void nothing) {
            if (lease.equals(ASTHelpers.getSymbol(tree))) {
                LeaseFate fate = fateOfUse(getCurrentPath());
                if (fate != LeaseFate.DROPPED) {
                    fates.add(runsElsewhere(getCurrentPath()) ? LeaseFate.HANDED_ON : fate);
                }
            }
            return null;
        }

        /** What this use does; dropped means: nothing. */
        private LeaseFate fateOfUse(TreePath use) {
            TreePath up = use.getParentPath();
            Tree parent = up.getLeaf();
            if (parent instanceof ParenthesizedTree) {
                return fateOfUse(up);
            }
            if (parent instanceof BinaryTree) {
                return LeaseFate.DROPPED;
            }
            if (parent instanceof TryTree) {
                return closedBy(up);
            }
            if (parent instanceof VariableTree variable
                    && ASTHelpers.getSymbol(variable).getKind() == ElementKind.RESOURCE_VARIABLE) {
                return closedBy(up.getParentPath());
            }
            if (parent instanceof AssignmentTree assignment && assignment.getVariable() == use.getLeaf()) {
                return LeaseFate.DROPPED;
            }
            if (parent instanceof MethodInvocationTree || parent instanceof NewClassTree) {
                return LockApi.onlyLooks(ASTHelpers.getSymbol(parent)) ? LeaseFate.DROPPED : LeaseFate.HANDED_ON;
            }
            return parent instanceof MemberSelectTree
                            && up.getParentPath().getLeaf() instanceof MethodInvocationTree call
                    ? fateOfCallOn(call, up.getParentPath())
                    : LeaseFate.HANDED_ON;
        }

        private LeaseFate fateOfCallOn(MethodInvocationTree call, TreePath path) {
            if (!optional) {
                return LockApi.RELEASE.matches(call, state) ? released(path) : LeaseFate.DROPPED;
            }
            if (!LockApi.UNWRAP.matches(call, state)) {
                return fateOfOptional(call, path);
            }
            Tree next = path.getParentPath().getLeaf();
            boolean released = next instanceof MemberSelectTree
                    && path.getParentPath().getParentPath().getLeaf() instanceof MethodInvocationTree end
                    && LockApi.RELEASE.matches(end, state);
            if (released) {
                return released(path);
            }
            LeaseFate fate = fateOf(path, false);
            return fate == LeaseFate.CLOSED ? closedBy(path) : fate; // if the way leads to where it is unwrapped
        }

        /** A release in a finally block is for every path; another one only if nothing can go wrong before. */
        private LeaseFate released(TreePath use) {
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
            return new Between(lease, taken, body, use, state).isQuiet()
                    ? LeaseFate.CLOSED
                    : LeaseFate.CLOSED_SOMETIMES;
        }

        private LeaseFate closedBy(TreePath closing) {
            return new Between(lease, taken, body, closing, state).isSafe()
                    ? LeaseFate.CLOSED
                    : LeaseFate.CLOSED_SOMETIMES;
        }

        /** Whether the use is in a lambda or class of its own, which may run later or on another thread. */
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
