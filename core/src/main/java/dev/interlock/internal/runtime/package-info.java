/**
 * What every feature of Interlock runs on: clock, timetable, threads, guarded store calls, events and log.
 *
 * <p>{@link dev.interlock.internal.runtime.EngineRuntime} holds the parts of one Interlock together. Nothing here
 * knows what a lock is, so that other features can use the same runtime. Every decision by time goes through
 * {@link dev.interlock.spi.Environment}, which tests replace.
 */
@NullMarked
package dev.interlock.internal.runtime;

import org.jspecify.annotations.NullMarked;
