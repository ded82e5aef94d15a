/**
 * The demo that {@code ./interlock demo} runs: several acts in which two services compete for the same locks.
 *
 * <p>Every printed claim is computed from what has just happened, and a check that fails makes the demo fail. Where a
 * lock prevents damage, the act first runs without the lock to show the damage.
 */
@NullMarked
package dev.interlock.cli.demo;

import org.jspecify.annotations.NullMarked;
