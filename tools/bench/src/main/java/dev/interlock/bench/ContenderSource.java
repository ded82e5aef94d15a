package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/**
 * Creates the contenders of a suite. Each process creates its own, so implementations are public and have a public
 * constructor without parameters.
 */
@FunctionalInterface
public interface ContenderSource {
    /**
     * Returns all contenders.
     *
     * @param address the address of their server, in a form that the source understands
     * @param lease length of a lease that is not renewed
     */
    List<Contender> contenders(String address, Duration lease);
}
