/**
 * The engine: what happens between a request and a lease, over any store.
 *
 * <p>Where to start: {@link dev.interlock.internal.lock.Waiter} is one pending request and walks through the life of an
 * acquire; {@link dev.interlock.internal.lock.Gate} is the queue of one key inside the process;
 * {@link dev.interlock.internal.lock.Hold} is what was granted, until it is released or lost.
 *
 * <pre>
 *   caller ──▶ Waiter ──▶ Gate (local queue) ──▶ Ask (place at the store) ──▶ StoreCalls ──▶ LockStore
 *                │                                                                │ answers, pushes
 *                ▼                                                                ▼
 *              Lease ◀── Hold ◀───────────────────────────────────────── granted, renewed, lost
 * </pre>
 *
 * <p>Locking: a gate's mutex guards that gate only and is never held across a store call, a callback or another gate's
 * mutex. A waiter moves by compare-and-set, see {@link dev.interlock.internal.lock.Phase}.
 */
@NullMarked
package dev.interlock.internal.lock;

import org.jspecify.annotations.NullMarked;
