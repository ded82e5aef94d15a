package dev.interlock.redis;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.Worker;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.testkit.workers.Workers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One fault test on a real server: a namespace of its own, a proxy in front of the server, clients that write down what they do, a
 * fenced resource with its unfenced twin, and at the end the verdict on the history.
 *
 * <p>Used by the test's own thread; clients have threads of their own.
 */
final class FaultRun implements AutoCloseable {
    private final RedisServer redis;
    private final Framing framing;
    private final String namespace;
    private final JudgedRun judged;
    private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();
    private final FaultProxy proxy;

    FaultRun(RedisServer redis) {
        this(redis, Framing.resp(), setup -> setup);
    }

    /** With a proxy that knows less of messages, and worker processes that are set up differently. */
    FaultRun(RedisServer redis, Framing framing, UnaryOperator<WorkerSetup> different) {
        this.redis = redis;
        this.framing = framing;
        this.namespace = redis.namespace();
        this.proxy = newProxy();
        this.judged = new JudgedRun(
                RedisForWorkers.patiently(
                        () -> RedisBackend.builder(redis.uri()).namespace(namespace)),
                different.apply(WorkerSetup.of(RedisForWorkers.class, uri(proxy), namespace)));
    }

    /** Worker processes behind the proxy. */
    List<Worker> startWorkers(int count) {
        return workers().startMore(count);
    }

    Workers workers() {
        return judged.workers();
    }

    /** Another way to the same server, to be disturbed alone. */
    FaultProxy newProxy() {
        FaultProxy made = FaultProxy.to("127.0.0.1", redis.node().port(), framing);
        proxies.add(made);
        return made;
    }

    FaultProxy proxy() {
        return proxy;
    }

    RedisServer redis() {
        return redis;
    }

    Recorder recorder() {
        return judged.recorder();
    }

    // ---- clients ------------------------------------------------------------------------------------------------

    /** A client behind the proxy. */
    JudgedClient client(String name) {
        return client(name, proxy, builder -> builder, builder -> builder);
    }

    /** A client that no fault of the network touches. */
    JudgedClient direct(String name) {
        return client(name, redis.uri(), builder -> builder, builder -> builder);
    }

    JudgedClient client(
            String name,
            FaultProxy through,
            UnaryOperator<RedisBackend.Builder> backend,
            UnaryOperator<Interlock.Builder> options) {
        return client(name, uri(through), backend, options);
    }

    /** Each connection bears the namespace as its name. */
    private String uri(FaultProxy through) {
        return "redis://127.0.0.1:" + through.port() + "?clientName=" + namespace;
    }

    private JudgedClient client(
            String name,
            String uri,
            UnaryOperator<RedisBackend.Builder> backend,
            UnaryOperator<Interlock.Builder> options) {
        return judged.client(
                name,
                RedisForWorkers.patiently(
                        backend.apply(RedisBackend.builder(uri).namespace(namespace))),
                options);
    }

    /** A key that the fenced resource keeps. */
    LockKey key(String id) {
        return judged.key(id);
    }

    /** A key that the unfenced twin keeps. */
    LockKey unfencedKey(String id) {
        return judged.unfencedKey(id);
    }

    // ---- what the server has ------------------------------------------------------------------------------------

    /** The calls of a script that are about this key. */
    static Matching calls(Script script, LockKey key) {
        return Matching.request(bytes -> {
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            return text.contains(script.digest()) && text.contains("lock:" + key.name());
        });
    }

    /** The plain key of a lock. */
    String lock(LockKey key) {
        return namespace + ":lock:" + key.name();
    }

    /** The number of the grant that the server has on record. */
    long recordedGrant(LockKey key) {
        return Long.parseLong(redis.command("GET", lock(key)).split("#", -1)[1]);
    }

    long counter() {
        return Long.parseLong(redis.command("GET", namespace + ":interlock:counter"));
    }

    long millisLeft(LockKey key) {
        return Long.parseLong(redis.command("PTTL", lock(key)));
    }

    /** How many connections the clients of this run have, by the server's own count. */
    long connections() {
        return redis.command("CLIENT", "LIST")
                .lines()
                .filter(line -> line.contains(" name=" + namespace + " "))
                .count();
    }

    boolean hasQueue(LockKey key) {
        return redis.command("EXISTS", "{" + lock(key) + "}:q").equals("1");
    }

    /** Everything in the namespace but the counter and the terms, which stay. */
    List<String> leftovers() {
        return Arrays.stream(redis.command("KEYS", "*" + namespace + ":*").split("\n"))
                .filter(key ->
                        !key.isEmpty() && !key.endsWith(":interlock:counter") && !key.endsWith(":interlock:terms"))
                .toList();
    }

    // ---- faults ----------------------------------------------------------------------------------------------

    JudgedRun.Injected inject(String kind, Supplier<Fault> fault) {
        return judged.inject(kind, fault);
    }

    void strike(String kind, Supplier<Integer> action) {
        judged.strike(kind, action);
    }

    // ---- the verdict --------------------------------------------------------------------------------------------

    /** See {@link JudgedRun#assertClean(String, String...)}. */
    Verdict assertClean(String title, String... faults) {
        return judged.assertClean(title, faults);
    }

    /** See {@link JudgedRun#assertClean(String, UnaryOperator)}. */
    Verdict assertClean(String title, UnaryOperator<Expectations> faults) {
        return judged.assertClean(title, faults);
    }

    @Override
    public void close() {
        judged.close();
        proxies.forEach(FaultProxy::close);
    }
}
