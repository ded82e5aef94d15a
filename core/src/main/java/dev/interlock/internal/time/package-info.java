/** Clocks, alarms and threads, as the engine uses them; everything it decides by time comes from here. */
@NullMarked
package dev.interlock.internal.time;

import org.jspecify.annotations.NullMarked;
