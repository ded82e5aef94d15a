/**
 * The lock API: keys, requests, leases, fencing tokens, and the exceptions in which a request can end.
 *
 * <p>Start with {@link dev.interlock.lock.Locks}. {@link dev.interlock.lock.LockRequest} describes how a wait can end,
 * and {@link dev.interlock.lock.Holding} what is promised while a lock is held and how its loss is reported. Nothing in
 * this package depends on a particular store.
 *
 * <p>The words of the API, as defined in {@code docs/glossary.md} of the repository:
 * <ul>
 *   <li><b>key</b>: the name of the thing that is protected; its <b>lock type</b> is a prefix of it;
 *   <li><b>lock order</b>: the total order in which several keys are acquired;
 *   <li><b>request</b>: what the caller asks for: keys, mode, patience and lease length;
 *   <li><b>patience</b>: how long a request waits at most;
 *   <li><b>lease</b>: the right to a lock until a deadline; closing it releases the lock;
 *   <li><b>deadline</b>: the moment until which the holder may rely on its lease; it is earlier than the end in the
 *       store;
 *   <li><b>loss</b>: the end of a lease that its holder did not ask for;
 *   <li><b>lock-delay</b>: the time during which a lock stays closed after a loss;
 *   <li><b>fencing token</b>: a number that grows with every grant of a key;
 *   <li><b>fence</b>: the highest token that a protected resource has seen; it rejects lower tokens;
 *   <li><b>scope</b>: the unit of work whose locks are checked together for order, re-entry and deadlocks;
 *   <li><b>process</b>: one running {@code Interlock}; a JVM can have several;
 *   <li><b>namespace</b>: the set of keys that processes share in one store.
 * </ul>
 */
@NullMarked
package dev.interlock.lock;

import org.jspecify.annotations.NullMarked;
