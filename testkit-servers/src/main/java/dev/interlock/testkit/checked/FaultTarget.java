package dev.interlock.testkit.checked;

import dev.interlock.spi.Backend;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.workers.WorkerSetup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * One running store as {@link FaultTck} sees it: how to connect, what to break, and what the store promises.
 *
 * <p>A test fixture of the backend implements it. Namespaces share nothing, so cases can run side by side on one
 * target. The methods with a default describe limits and optional features; a store that keeps the defaults is tested
 * with the weakest bounds.
 *
 * <p>Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface FaultTarget {
    /** The name of the store in titles and skip reasons, for example {@code "PostgreSQL"}. */
    String name();

    /**
     * The server processes that clients connect to. The kit opens one proxy per node. A shared node is enough for
     * network faults; faults of the server need nodes that belong to the test.
     */
    List<ServerNode> nodes();

    /** How the proxies split the stream into messages. */
    Framing framing();

    /**
     * Connects a client.
     *
     * @param addresses one {@code host:port} per node, in the order of {@link #nodes()}: the nodes themselves or the
     * proxies in front of them
     * @param namespace the namespace of the run
     * @param silence how long a connection may be silent before the client gives it up
     */
    Backend connect(List<String> addresses, String namespace, Duration silence);

    /** Returns how worker processes connect; the addresses are those of {@link #connect}. */
    WorkerSetup workers(List<String> addresses, String namespace);

    /** Returns how the backend's requests look on the wire. */
    StoreRequests requests();

    /** Returns what the store has on record in a namespace. It asks the store directly, past every proxy. */
    StoreState state(String namespace);

    /** The features of this store. A case that needs another one is reported as skipped. */
    Set<FaultTrait> traits();

    /** What the store promises; strict by default. Each case adds its faults and bounds. */
    default Expectations promises() {
        return Expectations.strict();
    }

    /** The time by the server's wall clock. Needed only by a target whose clock can be stepped. */
    default Instant serverTime() {
        throw new UnsupportedOperationException(name() + " does not return its server time");
    }

    /** Steps the wall clock of every server; back if negative. The kit waits until {@link #serverTime()} shows it. */
    default void stepClock(Duration by) {
        nodes().forEach(node -> node.clock().step(by));
    }

    /** Kills every server with {@code kill -9} and starts it again on what it had on disk. */
    default void killAndRestart() {
        nodes().forEach(ServerNode::kill);
        nodes().forEach(ServerNode::start);
    }

    /** Freezes every server: connections stay open, and no request is answered. */
    default void freeze() {
        nodes().forEach(ServerNode::pause);
    }

    /** Ends {@link #freeze()}. */
    default void unfreeze() {
        nodes().forEach(ServerNode::resume);
    }

    // ---- bounds -------------------------------------------------------------------------------------------------

    /**
     * How soon a client replaces its connections when the network is silent; empty if the backend promises no bound.
     */
    default Optional<Duration> noticesSilenceWithin() {
        return Optional.empty();
    }

    /** How many connections a client with a waiter replaces at least when the network is silent. */
    default int connectionsReplaced() {
        return 1;
    }

    /**
     * How soon a waiter is granted a released lock if every push of the store is lost; empty if the store sends none.
     */
    default Optional<Duration> grantsWithoutPushWithin() {
        return Optional.empty();
    }

    /** How soon a waiter is granted a released lock. */
    default Duration handsOverWithin() {
        return CheckedRun.LEASE;
    }

    /**
     * How many connections this number of idle clients has in use, as {@link StoreState#connectionsInUse()} counts
     * them; empty if the number must only be the same before and after a fault.
     */
    default OptionalLong idleConnections(int clients) {
        return OptionalLong.empty();
    }

    /** How many connections a client opens at most; empty if the backend has no limit. */
    default OptionalInt maxConnections() {
        return OptionalInt.empty();
    }
}
