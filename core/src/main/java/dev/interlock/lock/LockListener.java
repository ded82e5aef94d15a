package dev.interlock.lock;

/**
 * Receives the events of all locks of one {@code Interlock}.
 *
 * <p>A thread of Interlock calls it with one event at a time. It is never called on a thread of a driver, and no caller
 * waits for it. An exception that it throws is logged and has no other effect. If the listener is too slow, Interlock
 * drops events and logs how many.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockListener {
    /** Handles one event. */
    void on(LockEvent event);
}
