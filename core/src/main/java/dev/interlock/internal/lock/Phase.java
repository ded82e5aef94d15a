package dev.interlock.internal.lock;

/**
 * The phase of a pending request. Every transition is one compare-and-set, so that exactly one thread continues:
 *
 * <pre>
 *             take up                settle
 *   PARKED ─────────▶ WORKING ─────────────────▶ DONE      the caller has its lease
 *     │   ◀───────── /     \
 *     │     park           \ end
 *     │ end                 ▼
 *     ▼      put down    CUT_SHORT                         the working thread returns what it gets
 *   ENDED ◀─────────────────┘                              the thread that ended it returns what it had
 * </pre>
 *
 * PARKED: the request waits in a gate's queue or for the store, and no thread works on it. WORKING: one thread, or
 * one store call in flight, works on it and no other thread touches it.
 */
enum Phase {
    PARKED,
    WORKING,
    DONE,
    CUT_SHORT,
    ENDED
}
