package dev.interlock.spi;

import java.util.Optional;

/**
 * Which locks to show.
 *
 * @param prefix the beginning of the names; a whole name finds that lock first
 * @param after names up to and including this one are left out
 * @param limit how many at the most
 */
public record SnapshotQuery(String prefix, Optional<String> after, int limit) {}
