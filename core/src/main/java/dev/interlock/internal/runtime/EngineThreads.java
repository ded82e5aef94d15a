package dev.interlock.internal.runtime;

import dev.interlock.spi.Environment;
import java.util.concurrent.Executor;

/**
 * The executors of one Interlock.
 *
 * @param lane for calls that the engine itself makes
 * @param callbacks for loss callbacks and nothing else
 * @param completions for stages of asynchronous requests, which may block and must not delay a loss callback
 * @param delays for tasks that were to run after a pause; a stage that blocks must not delay them
 * @param events for listeners
 * @param storeCalls for calls of blocking drivers
 * @param urgentStoreCalls for renewals, releases and withdrawals of blocking drivers
 */
public record EngineThreads(
        Executor lane,
        Executor callbacks,
        Executor completions,
        Executor delays,
        Executor events,
        Executor storeCalls,
        Executor urgentStoreCalls) {
    private static final int STORE_THREADS = 8;
    private static final int URGENT_STORE_THREADS = 4;

    static EngineThreads of(Environment environment) {
        return new EngineThreads(
                environment.serial("interlock-watchdog"),
                environment.serial("interlock-callbacks"),
                environment.serial("interlock-completions"),
                environment.serial("interlock-delays"),
                environment.serial("interlock-events"),
                environment.pool("interlock-store", STORE_THREADS),
                environment.pool("interlock-store-urgent", URGENT_STORE_THREADS));
    }
}
