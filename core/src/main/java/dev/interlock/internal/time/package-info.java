/** Clocks, alarms and threads: the only place in core that asks the machine what time it is. */
@NullMarked
package dev.interlock.internal.time;

import org.jspecify.annotations.NullMarked;
