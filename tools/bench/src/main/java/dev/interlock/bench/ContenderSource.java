package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/**
 * Knows the contenders of a suite, in every process of it. Implementations are public and have a public constructor without
 * parameters, since each process makes its own.
 */
@FunctionalInterface
public interface ContenderSource {
    /**
     * All contenders.
     *
     * @param address where their server is, in words that the source understands
     * @param lease how long a lock is held that is not renewed
     */
    List<Contender> contenders(String address, Duration lease);
}
