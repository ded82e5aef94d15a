package dev.interlock.internal.runtime;

import java.util.ArrayDeque;

/**
 * Runs steps of other requests one after another on the calling thread.
 *
 * <p>A step that is added while another one runs on the same thread waits until that one is over. Without this, a
 * chain of requests that fail one after another would become a chain of nested calls and overflow the stack.
 */
final class StepChain {
    @SuppressWarnings("ThreadLocalUsage") // one per engine on purpose: two engines in one thread have two chains
    private final ThreadLocal<ArrayDeque<Runnable>> chains = new ThreadLocal<>();

    private final System.Logger log;

    StepChain(System.Logger log) {
        this.log = log;
    }

    void run(Runnable step) {
        ArrayDeque<Runnable> waiting = chains.get();
        if (waiting != null) {
            waiting.add(step);
            return;
        }
        waiting = new ArrayDeque<>();
        chains.set(waiting);
        try {
            for (Runnable next = step; next != null; next = waiting.poll()) {
                try {
                    next.run();
                } catch (RuntimeException bug) {
                    log.log(System.Logger.Level.ERROR, "A step of a waiting request failed", bug);
                }
            }
        } finally {
            chains.remove();
        }
    }
}
