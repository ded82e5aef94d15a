/**
 * The suite {@code redis}: Interlock with Redis, compared with minimal locks and with other lock libraries. Each is
 * used as its documentation recommends.
 *
 * <p>The minimal locks and ShedLock cannot wait. In contended workloads they poll every millisecond, so their results
 * show that policy and not a feature of theirs.
 */
@NullMarked
package dev.interlock.bench.redis;

import org.jspecify.annotations.NullMarked;
