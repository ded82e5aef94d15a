package dev.interlock.lock;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Some of the locks of a namespace, in the order of their names.
 *
 * @param locks the locks on this page
 * @param next where the next page begins, empty on the last one
 * @param takenAt when the picture was taken
 */
public record LockPage(List<LockSnapshot> locks, Optional<String> next, Instant takenAt) {
    /** Copies the list. */
    public LockPage {
        locks = List.copyOf(locks);
    }
}
