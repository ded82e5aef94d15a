package dev.interlock.cli;

/**
 * Adds one command to {@code ./interlock}.
 *
 * <p>Providers are found with {@link java.util.ServiceLoader}. A command with heavy dependencies, such as the
 * benchmarks, lives in its own module and is available only when that module is on the class path.
 */
public interface CommandProvider {
    /** Returns an object that is annotated with picocli's {@code @Command}. */
    Object command();
}
