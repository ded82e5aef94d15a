package dev.interlock.testkit.checked;

import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.faults.ProxiedConnection;
import dev.interlock.testkit.faults.Recording;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.servers.ServerNode;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The network between one client and the store: one proxy in front of each node, all disturbed alike.
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class FaultRoute implements AutoCloseable {
    private final List<FaultProxy> proxies;

    FaultRoute(List<ServerNode> nodes, Framing framing) {
        proxies = nodes.stream()
                .map(node -> FaultProxy.to(node.host(), node.port(), framing))
                .toList();
    }

    /** One {@code host:port} per node, for {@link FaultTarget#connect}. */
    public List<String> addresses() {
        return proxies.stream().map(proxy -> "127.0.0.1:" + proxy.port()).toList();
    }

    /** The proxies, in the order of the nodes. */
    public List<FaultProxy> proxies() {
        return proxies;
    }

    /** How many connections were accepted so far. */
    public long accepted() {
        return proxies.stream().mapToLong(FaultProxy::accepted).sum();
    }

    /** How many connections are open. */
    public long connections() {
        return proxies.stream().mapToLong(proxy -> proxy.connections().size()).sum();
    }

    /** Closes every connection and returns how many there were. */
    public int cut() {
        return proxies.stream().mapToInt(FaultProxy::cut).sum();
    }

    /** Records the matching requests, per node. */
    public Recordings record(Matching requests) {
        return new Recordings(
                proxies.stream().map(proxy -> proxy.record(requests)).toList());
    }

    Injected inject(Function<FaultProxy, Fault> fault, RecordedFault recorded) {
        return new Injected(proxies.stream().map(fault).toList(), recorded);
    }

    @Override
    public void close() {
        proxies.forEach(FaultProxy::close);
    }

    /**
     * The same fault on every proxy of a route, recorded in the history.
     *
     * @param faults one per proxy
     * @param recorded the entry in the history
     */
    public record Injected(List<Fault> faults, RecordedFault recorded) implements AutoCloseable {
        /** Waits until the fault has acted on at least one proxy. */
        public Injected awaitActed() {
            CheckedRun.until("the fault " + faults + " has acted", () -> acted() > 0);
            return this;
        }

        /** How often the fault has acted on all proxies. */
        public long acted() {
            return faults.stream().mapToLong(Fault::acted).sum();
        }

        /** Ends the fault; messages that were held are delivered. */
        public void heal() {
            faults.forEach(Fault::heal);
        }

        /** The connections that the fault acted on last, at most one per proxy. */
        public List<ProxiedConnection> lastActedOn() {
            return faults.stream()
                    .map(Fault::lastActedOn)
                    .flatMap(Optional::stream)
                    .toList();
        }

        /**
         * Waits until the connections of {@link #lastActedOn()} are closed: the server has processed what they carried.
         */
        public void awaitClosed(Duration patience) {
            lastActedOn().forEach(connection -> connection.awaitClosed(patience));
        }

        /** Ends the fault and records whether it had acted. */
        @Override
        public void close() {
            if (acted() > 0) {
                recorded.acted();
            }
            heal();
            recorded.stopped();
        }
    }

    /**
     * The recorded requests of a route.
     *
     * @param recordings one per proxy
     */
    public record Recordings(List<Recording> recordings) {
        /** The number of requests to the node that received the most. */
        public int size() {
            return recordings.stream()
                    .map(Recording::size)
                    .max(Comparator.naturalOrder())
                    .orElse(0);
        }

        /** Sends the request with this number again, on a new connection to each node that received it. */
        public void replay(int number, Duration patience) {
            recordings.stream()
                    .filter(recording -> recording.size() >= number)
                    .forEach(recording -> recording.replay(number, patience));
        }
    }
}
