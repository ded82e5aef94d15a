/**
 * The suite {@code memory}: Interlock with its in-memory backend, compared with {@code java.util.concurrent} inside one
 * process. Those locks have no leases, tokens, time limits or names. They are the floor, not peers.
 */
@NullMarked
package dev.interlock.bench.memory;

import org.jspecify.annotations.NullMarked;
