/** Small programs, one for each feature. Run them with {@code examples/quickstart/run NAME}. */
@NullMarked
package dev.interlock.examples;

import org.jspecify.annotations.NullMarked;
