package dev.interlock.testkit.checked;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.workers.Worker;
import dev.interlock.testkit.workers.WorkerSetup;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;

/**
 * One fault test on a real store: a namespace of its own, proxies in front of the servers, clients that record what
 * they do, a fenced resource with its unfenced twin, and at the end the verdict on the history.
 *
 * <p>{@link FaultTck} gives each case such a run. A backend also uses it for fault tests that only this backend has.
 * Used by the test's own thread; clients have threads of their own.
 *
 * @since 0.1.0
 */
public final class FaultRun implements AutoCloseable {
    private final FaultTarget target;
    private final Framing framing;
    private final String namespace = UUID.randomUUID().toString();
    private final List<FaultRoute> routes = new CopyOnWriteArrayList<>();
    private final FaultRoute route;
    private final CheckedRun checked;

    /** A run with proxies that know the store's messages. */
    public FaultRun(FaultTarget target) {
        this(target, target.framing(), workers -> workers);
    }

    FaultRun(FaultTarget target, Framing framing, UnaryOperator<WorkerSetup> workers) {
        this.target = target;
        this.framing = framing;
        this.route = newRoute();
        this.checked = new CheckedRun(
                () -> target.connect(directAddresses(), namespace, CheckedRun.SLACK),
                workers.apply(target.workers(route.addresses(), namespace)),
                target.promises());
    }

    /** Reports the case as skipped if the store lacks the trait. */
    public void assume(FaultTrait trait) {
        if (!has(trait)) {
            skip(trait.description());
        }
    }

    boolean has(FaultTrait trait) {
        return target.traits().contains(trait);
    }

    /** Reports the case as skipped: it needs something that the store does not have. */
    void skip(String needed) {
        Assumptions.abort("capability: needs " + needed + ", which " + target.name() + " does not have");
    }

    FaultTarget target() {
        return target;
    }

    /** The namespace of this run. */
    public String namespace() {
        return namespace;
    }

    /** What the store has on record in this namespace. */
    public StoreState state() {
        return target.state(namespace);
    }

    /** How the backend's requests look on the wire. */
    public StoreRequests requests() {
        return target.requests();
    }

    /** The route of {@link #client(String)} and of the worker processes. */
    public FaultRoute route() {
        return route;
    }

    /** Another route to the same store, which can be disturbed alone. */
    public FaultRoute newRoute() {
        FaultRoute made = new FaultRoute(target.nodes(), framing);
        routes.add(made);
        return made;
    }

    /** The recorder of the test's own actions. */
    public Recorder recorder() {
        return checked.recorder();
    }

    /** Starts worker processes behind the route. */
    List<Worker> startWorkers(int count) {
        return checked.workers().startMore(count);
    }

    // ---- clients ------------------------------------------------------------------------------------------------

    /** Opens a client behind the route. */
    public CheckedClient client(String name) {
        return client(name, route, CheckedRun.SLACK, options -> options);
    }

    /** Opens a client that is not affected by network faults. */
    public CheckedClient direct(String name) {
        return client(name, target.connect(directAddresses(), namespace, CheckedRun.SLACK));
    }

    /** Opens a client with this backend, which must use the namespace of the run and is closed with it. */
    public CheckedClient client(String name, Backend backend) {
        return checked.client(name, backend, options -> options);
    }

    CheckedClient client(String name, FaultRoute through, Duration silence, UnaryOperator<Interlock.Builder> options) {
        return checked.client(name, target.connect(through.addresses(), namespace, silence), options);
    }

    private List<String> directAddresses() {
        return target.nodes().stream().map(ServerNode::address).toList();
    }

    /** A key that the fenced resource keeps. */
    public LockKey key(String id) {
        return checked.key(id);
    }

    /** A key that the unfenced twin keeps. */
    public LockKey unfencedKey(String id) {
        return checked.unfencedKey(id);
    }

    // ---- faults and the verdict ---------------------------------------------------------------------------------

    /** Injects a fault of this kind into the route, until it is closed. */
    public FaultRoute.Injected inject(String kind, Function<FaultProxy, Fault> fault) {
        return inject(kind, route, fault);
    }

    FaultRoute.Injected inject(String kind, FaultRoute into, Function<FaultProxy, Fault> fault) {
        return into.inject(fault, recorder().faultStarted(kind));
    }

    /**
     * Does something to the connections of the route at once. It returns how many it hit per proxy, and must hit one.
     */
    public void strike(String kind, ToIntFunction<FaultProxy> action) {
        checked.strike(kind, () -> route.proxies().stream().mapToInt(action).sum());
    }

    /** See {@link CheckedRun#assertClean(String, String...)}. */
    public Verdict assertClean(String title, String... faults) {
        return checked.assertClean(target.name() + " " + title, faults);
    }

    /** See {@link CheckedRun#assertClean(String, UnaryOperator)}. */
    public Verdict assertClean(String title, UnaryOperator<Expectations> faults) {
        return checked.assertClean(target.name() + " " + title, faults);
    }

    @Override
    public void close() {
        checked.close();
        routes.forEach(FaultRoute::close);
    }
}
