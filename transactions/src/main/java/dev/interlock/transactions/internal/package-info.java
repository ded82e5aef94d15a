/**
 * What Interlock knows about PostgreSQL, MariaDB, MySQL and H2: dialects, error codes and durability settings. Shared
 * with the JDBC backend, and not part of the public API.
 */
@NullMarked
package dev.interlock.transactions.internal;

import org.jspecify.annotations.NullMarked;
