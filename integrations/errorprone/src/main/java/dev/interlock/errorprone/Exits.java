package dev.interlock.errorprone;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.BreakTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ContinueTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.YieldTree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells statements after which the next one does not run. */
final class Exits {
    private Exits() {}

    /** Whether it always returns, throws or jumps at its end. */
    static boolean leaves(@Nullable Tree statement) {
        if (statement instanceof BlockTree block) {
            return lastLeaves(block.getStatements());
        }
        if (statement instanceof CaseTree branch) {
            return branch.getBody() == null ? lastLeaves(branch.getStatements()) : leaves(branch.getBody());
        }
        if (statement instanceof IfTree choice) {
            return leaves(choice.getThenStatement()) && leaves(choice.getElseStatement());
        }
        if (statement instanceof SynchronizedTree guarded) {
            return leaves(guarded.getBlock());
        }
        if (statement instanceof TryTree attempt) {
            return leaves(attempt.getFinallyBlock())
                    || (leaves(attempt.getBlock())
                            && attempt.getCatches().stream().allMatch(each -> leaves(each.getBlock())));
        }
        return statement instanceof ReturnTree
                || statement instanceof ThrowTree
                || statement instanceof BreakTree
                || statement instanceof ContinueTree
                || statement instanceof YieldTree;
    }

    private static boolean lastLeaves(@Nullable List<? extends Tree> statements) {
        return statements != null && !statements.isEmpty() && leaves(statements.get(statements.size() - 1));
    }
}
