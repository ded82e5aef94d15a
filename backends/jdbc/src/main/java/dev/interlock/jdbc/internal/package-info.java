/** Classes that the PostgreSQL driver loads by name, so they must be public. Not part of the public API. */
@NullMarked
package dev.interlock.jdbc.internal;

import org.jspecify.annotations.NullMarked;
