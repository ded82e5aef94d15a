/**
 * What a backend author implements: one technology's atomic lock operations, and what they promise.
 *
 * <p>{@link dev.interlock.spi.LockStore} is the heart. Everything is asynchronous; a blocking driver wraps its calls in
 * one of the executors of {@link dev.interlock.spi.StoreContext}. The engine does the rest: order, local queues, waiting,
 * renewal, deadlines, retries of lost answers, the circuit breaker. A store needs no timers and no threads.
 */
@NullMarked
package dev.interlock.spi;

import org.jspecify.annotations.NullMarked;
