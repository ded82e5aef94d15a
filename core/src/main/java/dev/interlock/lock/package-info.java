/**
 * What an application holds: keys, requests, leases, tokens and the exceptions a lock can end in.
 *
 * <p>Nothing here names a store. {@link dev.interlock.lock.Locks} is where to start;
 * {@link dev.interlock.lock.Lease} says what is promised while a lock is held and how its loss is told.
 */
@NullMarked
package dev.interlock.lock;

import org.jspecify.annotations.NullMarked;
