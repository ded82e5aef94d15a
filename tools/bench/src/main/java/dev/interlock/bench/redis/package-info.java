/**
 * The suite {@code redis}: Interlock over Redis, against the least that a lock on Redis costs and against the locks that others
 * offer on it, each used as its documentation recommends.
 *
 * <p>The floors and ShedLock cannot wait. In contended workloads they are asked again every millisecond, so their figures
 * there show that policy and not a feature of theirs.
 */
@NullMarked
package dev.interlock.bench.redis;

import org.jspecify.annotations.NullMarked;
