/**
 * The interfaces that a backend implements: the atomic lock operations of one kind of store, and what they promise.
 *
 * <p>Start with {@link dev.interlock.spi.LockStore}. All its operations are asynchronous; a store with a blocking
 * driver runs them in the executors of {@link dev.interlock.spi.StoreContext}. The engine does everything else: lock
 * order, local queues, waiting, renewal, deadlines, repeating calls whose answers were lost, and the circuit breaker. A
 * store needs no timers and no threads.
 *
 * <p>The words of the SPI, as defined in {@code docs/glossary.md} of the repository:
 * <ul>
 *   <li><b>attempt</b>: one call that acquires as many keys of a request as are free;
 *   <li><b>claim</b>: one key that an attempt wants, with mode and lease;
 *   <li><b>grant</b>: the store's record that an attempt got a key;
 *   <li><b>waiter</b>: an attempt that waits for a key; its position in the queue of that key is its <b>queue
 *       place</b>;
 *   <li><b>heartbeat</b>: the periodic message that keeps a queue place alive and checks for a grant;
 *   <li><b>provisional lease</b>: the short lease of a grant that the store made to a waiter; the first renewal extends
 *       it;
 *   <li><b>push</b>: a message from the store that was not asked for, for example a grant;
 *   <li><b>unknown</b>: the outcome of a call whose answer was lost, neither granted nor refused;
 *   <li><b>wait report</b>: the description of a long wait, for deadlock detection.
 * </ul>
 */
@NullMarked
package dev.interlock.spi;

import org.jspecify.annotations.NullMarked;
