package dev.interlock.testkit.workers;

import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The in-memory backend of a {@link StoreServer}, seen from another process. */
final class SocketBackend implements Backend {
    private final int port;
    private final String namespace;
    private final List<SocketCalls> opened = new CopyOnWriteArrayList<>();

    private SocketBackend(int port, String namespace) {
        this.port = port;
        this.namespace = namespace;
    }

    static SocketBackend connect(int port, String namespace) {
        return new SocketBackend(port, namespace);
    }

    /** How workers connect: the address is the port, optionally followed by a slash and a {@link PlantedBug}. */
    public static final class ForWorkers implements WorkerBackend {
        @Override
        public Backend connect(String address, String namespace) {
            int slash = address.indexOf('/');
            return slash < 0
                    ? SocketBackend.connect(Integer.parseInt(address), namespace)
                    : PlantedBug.valueOf(address.substring(slash + 1))
                            .plantedIn(Integer.parseInt(address.substring(0, slash)), namespace);
        }
    }

    @Override
    public String name() {
        return "memory at port " + port;
    }

    @Override
    public StoreCapabilities capabilities() {
        return InMemoryBackend.create().capabilities();
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        SocketCalls calls = new SocketCalls(port, namespace, context.listener());
        opened.add(calls);
        return (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        calls.close();
                        return null;
                    }
                    if (method.getDeclaringClass() == Object.class) {
                        return method.invoke(calls, arguments);
                    }
                    return calls.call(method, arguments);
                });
    }

    /** Cuts every connection, as a network would. The clients reconnect. */
    void cut() {
        opened.forEach(SocketCalls::cut);
    }

    @Override
    public void close() {
        opened.forEach(SocketCalls::close);
    }
}
