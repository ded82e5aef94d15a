package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** The order in which databases sort names. All transactions lock rows in this order, so they never deadlock. */
final class KeyOrder {
    static final Comparator<LockKey> BY_BYTES = (a, b) -> Arrays.compareUnsigned(
            a.name().getBytes(StandardCharsets.UTF_8), b.name().getBytes(StandardCharsets.UTF_8));

    private KeyOrder() {}
}
