package dev.interlock.lock;

/**
 * Hears what happens to locks.
 *
 * <p>Called one event at a time on a thread of Interlock's own, never on a driver's thread and never while a caller
 * waits for it. What it throws is logged and changes nothing. If it falls far behind, events are dropped and counted,
 * and the log says how many.
 */
@FunctionalInterface
public interface LockListener {
    /** Called for each event. */
    void on(LockEvent event);
}
