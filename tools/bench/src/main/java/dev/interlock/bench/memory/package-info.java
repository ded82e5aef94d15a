/**
 * The suite {@code memory}: Interlock over its in-memory backend, against what {@code java.util.concurrent} needs for the same
 * inside one process. Those locks have no leases, tokens, time limits or names; they are the floor, not peers.
 */
@NullMarked
package dev.interlock.bench.memory;

import org.jspecify.annotations.NullMarked;
