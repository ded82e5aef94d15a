package dev.interlock.lock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scopes waited for each other in a cycle, and this wait was ended so that the others can continue.
 *
 * <p>The request acquired nothing. The scope still holds what it held before: release those leases, then try again from
 * the beginning. To prevent the deadlock, acquire the keys in one request. The message lists all waits of the cycle. Of
 * each cycle, only the wait that began last ends this way.
 *
 * @since 0.1.0
 */
public final class DeadlockException extends InterlockException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable List<WaitForGraph.Wait> cycle;

    /**
     * Creates the exception.
     *
     * @param message the cycle, as text
     * @param cycle the waits; each waits for the next one, and the last for the first
     */
    public DeadlockException(String message, List<WaitForGraph.Wait> cycle) {
        super(message, null);
        this.cycle = List.copyOf(cycle);
    }

    /**
     * Returns the waits of the cycle. Each waits for the next one, and the last waits for the first, which is the wait
     * that was ended. The list is empty after serialization.
     */
    public List<WaitForGraph.Wait> cycle() {
        List<WaitForGraph.Wait> known = cycle;
        return known == null ? List.of() : known;
    }
}
