package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** The process of the store: one in-memory backend per namespace, one thread per connection. */
final class StoreServerMain {
    private static final Map<String, Backend> NAMESPACES = new ConcurrentHashMap<>();

    private StoreServerMain() {}

    /** Serves on the given loopback port until it is killed. */
    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        try (ServerSocket server = new ServerSocket(port, 256, InetAddress.getLoopbackAddress())) {
            while (true) {
                Socket socket = server.accept();
                Thread thread = new Thread(() -> serve(socket), "store-connection");
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    private static void serve(Socket socket) {
        try (Line line = new Line(socket, "store")) {
            String namespace = line.receive().readUTF();
            Backend backend = NAMESPACES.computeIfAbsent(namespace, name -> InMemoryBackend.create());
            LockStore store = backend.openLocks(new Context(line));
            while (true) {
                serve(line, store, line.receive());
            }
        } catch (IOException e) {
            // The client has gone; its locks end with their leases.
        }
    }

    private static void serve(Line line, LockStore store, DataInputStream call) throws IOException {
        long id = call.readLong();
        Method method = StoreCall.method(call.readInt());
        invoke(store, method, StoreCall.readArguments(call, method)).whenComplete((answer, failure) -> {
            line.send(
                    failure == null
                            ? Line.frame(out -> {
                                out.writeInt(StoreCall.ANSWER);
                                out.writeLong(id);
                                StoreCall.writeAnswer(out, method, answer);
                            })
                            : failed(id, failure));
        });
    }

    private static byte[] failed(long id, Throwable thrown) {
        Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        boolean refused = failure instanceof StoreException known && known.kind() == StoreException.Kind.REFUSED;
        return Line.frame(out -> {
            out.writeInt(refused ? StoreCall.REFUSAL : StoreCall.FAILURE);
            out.writeLong(id);
            out.writeUTF(String.valueOf(failure.getMessage()));
        });
    }

    private static CompletionStage<?> invoke(LockStore store, Method method, Object[] arguments) {
        try {
            return (CompletionStage<?>) method.invoke(store, arguments);
        } catch (InvocationTargetException e) {
            return CompletableFuture.failedFuture(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends pushes over the line; otherwise the in-memory store needs only the time of day. */
    private record Context(Line line) implements StoreContext, StoreListener {
        @Override
        public Executor ordinary() {
            return Runnable::run;
        }

        @Override
        public Executor urgent() {
            return Runnable::run;
        }

        @Override
        public StoreListener listener() {
            return this;
        }

        @Override
        public Environment environment() {
            return (Environment) Proxy.newProxyInstance(
                    Environment.class.getClassLoader(), new Class<?>[] {Environment.class}, (proxy, method, none) -> {
                        if (method.getName().equals("wall")) {
                            return Instant.now();
                        }
                        throw new UnsupportedOperationException(method.getName());
                    });
        }

        @Override
        public void granted(Granted granted) {
            line.send(Line.frame(out -> {
                out.writeInt(StoreCall.PUSH);
                RecordCodec.write(out, Granted.class, granted);
            }));
        }

        @Override
        public void maybeFree(LockKey key) {}

        @Override
        public void sessionLost(LossReason reason) {}

        @Override
        public void reconnected() {}
    }
}
