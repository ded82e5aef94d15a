package dev.interlock.lock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scopes waited for each other, and this wait was given up so that the others can go on; the message shows the whole cycle.
 *
 * <p>What the scope held when it began to wait it holds still: release it, then try again. Of each cycle only the wait that began last ends so.
 */
public final class DeadlockException extends InterlockException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable List<WaitForGraph.Wait> cycle;

    /** With a sentence that has the facts, and the waits, each for the next one. */
    public DeadlockException(String message, List<WaitForGraph.Wait> cycle) {
        super(message, null);
        this.cycle = List.copyOf(cycle);
    }

    /** The waits, each for the next one and the last for the first, which is the one that was given up; empty once it was serialized. */
    public List<WaitForGraph.Wait> cycle() {
        List<WaitForGraph.Wait> known = cycle;
        return known == null ? List.of() : known;
    }
}
