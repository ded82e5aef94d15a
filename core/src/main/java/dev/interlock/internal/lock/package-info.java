/**
 * The lock engine: everything between a request and a lease, over any store.
 *
 * <p>Where to start: {@link dev.interlock.internal.lock.Waiter} is one pending request,
 * {@link dev.interlock.internal.lock.Gate} is the queue of one key inside the process, and
 * {@link dev.interlock.internal.lock.Hold} is what was granted, until it is released or lost.
 *
 * <pre>
 *   EngineRequest ──▶ EngineLocks ──▶ RequestChecks        order, re-entry, capabilities
 *                          │
 *                          ▼
 *      Waiter ◀────── GateWalk ──▶ Gates ──▶ Gate          one request at a time asks for a key
 *   (state, phase)      │  ▲
 *                       ▼  │ some keys are missing
 *                 StoreAttempts ──▶ StoreAccess ──▶ LockStore
 *                       │  │
 *                       │  └─ busy ─▶ QueuePlace, QueuePlaces ◀── push, heartbeat
 *                       ▼
 *                  Settlement ──▶ Hold, LeaseHandle        delivered, or ended and returned
 *
 *   Watchdog     renews holds and sends heartbeats in batches     Releases    pass to the next waiter, or release
 *   Holds        loss, manual renewal, end of a hold              LongWaits   wait reports, deadlock victims
 *
 *   Engine creates the parts. All of them run on {@link dev.interlock.internal.runtime.EngineRuntime}.
 * </pre>
 *
 * <p>Locking: a gate's mutex guards that gate only and is never held during a store call, a callback or another
 * gate's step. A waiter moves by compare-and-set, see {@link dev.interlock.internal.lock.Phase}.
 */
@NullMarked
package dev.interlock.internal.lock;

import org.jspecify.annotations.NullMarked;
