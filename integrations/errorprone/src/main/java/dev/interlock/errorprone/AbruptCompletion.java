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

/** Finds statements that complete abruptly. */
final class AbruptCompletion {
    private AbruptCompletion() {}

    /** Whether the statement always ends with a return, a throw or a jump, so that the next statement does not run. */
    static boolean completesAbruptly(@Nullable Tree statement) {
        if (statement instanceof BlockTree block) {
            return lastCompletesAbruptly(block.getStatements());
        }
        if (statement instanceof CaseTree branch) {
            return branch.getBody() == null
                    ? lastCompletesAbruptly(branch.getStatements())
                    : completesAbruptly(branch.getBody());
        }
        if (statement instanceof IfTree choice) {
            return completesAbruptly(choice.getThenStatement()) && completesAbruptly(choice.getElseStatement());
        }
        if (statement instanceof SynchronizedTree guarded) {
            return completesAbruptly(guarded.getBlock());
        }
        if (statement instanceof TryTree attempt) {
            return completesAbruptly(attempt.getFinallyBlock())
                    || (completesAbruptly(attempt.getBlock())
                            && attempt.getCatches().stream().allMatch(each -> completesAbruptly(each.getBlock())));
        }
        return statement instanceof ReturnTree
                || statement instanceof ThrowTree
                || statement instanceof BreakTree
                || statement instanceof ContinueTree
                || statement instanceof YieldTree;
    }

    private static boolean lastCompletesAbruptly(@Nullable List<? extends Tree> statements) {
        return statements != null && !statements.isEmpty() && completesAbruptly(statements.get(statements.size() - 1));
    }
}
