/** The entry point: {@link dev.interlock.Interlock} opens locks over one backend. */
@NullMarked
package dev.interlock;

import org.jspecify.annotations.NullMarked;
