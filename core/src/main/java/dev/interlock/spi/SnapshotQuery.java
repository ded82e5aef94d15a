package dev.interlock.spi;

import java.util.Optional;

/**
 * Selects the locks of one page of a snapshot.
 *
 * @param prefix the beginning of the names; empty for all. A complete name finds that lock first
 * @param after only names after this one are returned, in the order of {@link dev.interlock.lock.LockKey}
 * @param limit the maximum number of locks
 * @since 0.1.0
 */
public record SnapshotQuery(String prefix, Optional<String> after, int limit) {}
