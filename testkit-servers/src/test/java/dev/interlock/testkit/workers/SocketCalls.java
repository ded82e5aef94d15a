package dev.interlock.testkit.workers;

import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Calls to one open store over one connection, which is reopened whenever it breaks.
 *
 * <p>A call without a connection waits for the pending connect or starts one, and fails as not sent if that fails. A
 * call whose frame was passed to the line fails as unknown if the line is cut before its answer: part of it may have
 * arrived. Thread-safe; never blocks a caller.
 */
final class SocketCalls implements AutoCloseable {
    private static final int CONNECT_MILLIS = 1_000;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final int port;
    private final String namespace;
    private final StoreListener listener;

    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition wanted = mutex.newCondition();
    private final List<Call> unsent = new ArrayList<>();
    private final Map<Long, Call> sent = new HashMap<>();
    private Line line;
    private long lastId;
    private boolean closed;

    /** A call that waits for its answer. */
    private static final class Call {
        private final long id;
        private final Method method;
        private final byte[] frame;
        private final CompletableFuture<Object> answer = new CompletableFuture<>();

        Call(long id, Method method, byte[] frame) {
            this.id = id;
            this.method = method;
            this.frame = frame;
        }
    }

    SocketCalls(int port, String namespace, StoreListener listener) {
        this.port = port;
        this.namespace = namespace;
        this.listener = listener;
        Thread thread = new Thread(this::keepConnected, "socket-store");
        thread.setDaemon(true);
        thread.start();
    }

    CompletableFuture<Object> call(Method method, Object[] arguments) {
        mutex.lock();
        try {
            long id = ++lastId;
            byte[] frame = Line.frame(out -> {
                out.writeLong(id);
                out.writeInt(StoreCall.numberOf(method));
                StoreCall.writeArguments(out, method, arguments);
            });
            Call call = new Call(id, method, frame);
            if (closed) {
                call.answer.completeExceptionally(StoreException.notSent("The store was closed", null));
            } else if (line == null || !send(call)) {
                unsent.add(call);
                wanted.signal();
            }
            return call.answer;
        } finally {
            mutex.unlock();
        }
    }

    private boolean send(Call call) {
        boolean onItsWay = line.send(call.frame);
        if (onItsWay) {
            sent.put(call.id, call);
        }
        return onItsWay;
    }

    private void keepConnected() {
        for (boolean first = true; awaitTurn(first); first = false) {
            try (Line made = connect()) {
                if (!first) {
                    listener.reconnected();
                }
                receive(made);
            } catch (IOException e) {
                disconnected(e);
            }
        }
        disconnected(new IOException("closed"));
    }

    /** Waits until a caller needs the connection or it is time to retry; returns false if this is closed. */
    private boolean awaitTurn(boolean first) {
        mutex.lock();
        try {
            long left = first ? 0 : RETRY_NANOS;
            while (left > 0 && unsent.isEmpty() && !closed) {
                left = wanted.awaitNanos(left);
            }
            return !closed;
        } catch (InterruptedException e) {
            return false;
        } finally {
            mutex.unlock();
        }
    }

    private Line connect() throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        Line made = new Line(socket, "socket-store");
        mutex.lock();
        try {
            made.send(Line.frame(out -> out.writeUTF(namespace)));
            line = made;
            unsent.removeIf(this::send);
            if (closed) {
                made.close();
            }
            return made;
        } finally {
            mutex.unlock();
        }
    }

    private void receive(Line from) throws IOException {
        while (true) {
            DataInputStream frame = from.receive();
            int kind = frame.readInt();
            if (kind == StoreCall.PUSH) {
                listener.granted((Granted) RecordCodec.read(frame, Granted.class));
            } else {
                answered(kind, frame);
            }
        }
    }

    private void answered(int kind, DataInputStream frame) throws IOException {
        Call call;
        long id = frame.readLong();
        mutex.lock();
        try {
            call = sent.remove(id);
        } finally {
            mutex.unlock();
        }
        if (call == null) {
            throw new IOException("An answer to call " + id + ", which was never made");
        }
        if (kind == StoreCall.ANSWER) {
            call.answer.complete(StoreCall.readAnswer(frame, call.method));
        } else {
            String message = frame.readUTF();
            call.answer.completeExceptionally(
                    kind == StoreCall.REFUSAL
                            ? StoreException.refused(message)
                            : StoreException.unknown(message, null));
        }
    }

    /**
     * Fails the pending calls, and the calls that wait for a connection unless there was one just now: then the next
     * may well succeed. Outside the mutex, since callers may call again at once.
     */
    private void disconnected(IOException cause) {
        List<Call> lost;
        List<Call> never = List.of();
        mutex.lock();
        try {
            lost = List.copyOf(sent.values());
            sent.clear();
            if (line == null || closed) {
                never = List.copyOf(unsent);
                unsent.clear();
            }
            line = null;
        } finally {
            mutex.unlock();
        }
        String where = "The store at port " + port;
        lost.forEach(call -> call.answer.completeExceptionally(
                StoreException.unknown(where + " was cut off before it answered: " + cause.getMessage(), cause)));
        never.forEach(call -> call.answer.completeExceptionally(
                StoreException.notSent(where + " cannot be reached: " + cause.getMessage(), cause)));
    }

    void cut() {
        mutex.lock();
        try {
            if (line != null) {
                line.close();
            }
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        mutex.lock();
        try {
            closed = true;
            wanted.signal();
        } finally {
            mutex.unlock();
        }
        cut();
    }
}
