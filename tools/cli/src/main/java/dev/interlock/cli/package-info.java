/**
 * The commands of {@code ./interlock} that need nothing but the library. Each command reads its options, does its work
 * and returns an exit code. Other modules add commands with {@link dev.interlock.cli.CommandProvider}.
 */
@NullMarked
package dev.interlock.cli;

import org.jspecify.annotations.NullMarked;
