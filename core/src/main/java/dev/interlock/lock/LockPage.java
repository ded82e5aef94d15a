package dev.interlock.lock;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One page of the locks of a namespace, ordered by name.
 *
 * @param locks the locks of this page
 * @param next where the next page begins; empty on the last page
 * @param takenAt when the page was read
 * @since 0.1.0
 */
public record LockPage(List<LockSnapshot> locks, Optional<String> next, Instant takenAt) {
    /** Copies the list. */
    public LockPage {
        locks = List.copyOf(locks);
    }
}
