/**
 * The commands of {@code ./interlock}: each reads its options, calls what does the work, and turns the outcome into an exit code.
 */
@NullMarked
package dev.interlock.cli;

import org.jspecify.annotations.NullMarked;
