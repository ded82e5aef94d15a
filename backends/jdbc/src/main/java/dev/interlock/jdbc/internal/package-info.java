/** What everything in this module knows about the databases; not for users. */
@NullMarked
package dev.interlock.jdbc.internal;

import org.jspecify.annotations.NullMarked;
