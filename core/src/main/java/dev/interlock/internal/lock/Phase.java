package dev.interlock.internal.lock;

/**
 * Where a pending request stands. Every move is one compare-and-set, so exactly one party goes on:
 *
 * <pre>
 *              claim                 settle
 *   PARKED ─────────▶ WORKING ─────────────────▶ DONE      the caller has its lease
 *     │   ◀───────── /     \
 *     │     park           \ end
 *     │ end                 ▼
 *     ▼      put down    CUT_SHORT                         whoever works puts back what it gets
 *   ENDED ◀─────────────────┘                              whoever ended it puts back what it had
 * </pre>
 *
 * PARKED: it waits in a gate's queue or for the store, and nobody works on it. WORKING: one thread, or one store call in
 * flight, works on it and nobody else touches it.
 */
enum Phase {
    PARKED,
    WORKING,
    DONE,
    CUT_SHORT,
    ENDED
}
