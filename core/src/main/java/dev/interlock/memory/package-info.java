/** The embedded default: locks inside one process, and the reference for every other backend. */
@NullMarked
package dev.interlock.memory;

import org.jspecify.annotations.NullMarked;
