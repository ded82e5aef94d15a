package dev.interlock.jdbc;

import dev.interlock.lock.LockKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** Names in the order in which the databases sort them, so that everybody locks rows in the same one. */
final class Names {
    static final Comparator<LockKey> ORDER = (a, b) -> Arrays.compareUnsigned(
            a.name().getBytes(StandardCharsets.UTF_8), b.name().getBytes(StandardCharsets.UTF_8));

    private Names() {}
}
