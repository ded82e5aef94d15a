/** The command {@code ./interlock bench} and its subcommands, one per benchmark suite. */
@NullMarked
package dev.interlock.bench.cli;

import org.jspecify.annotations.NullMarked;
