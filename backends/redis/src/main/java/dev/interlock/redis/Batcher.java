package dev.interlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Combines concurrent requests of one operation into one script call. A batch stays open until the connection encodes
 * its call; every request that arrives before then joins it.
 *
 * <p>Requests are never delayed to fill a batch. An idle process sends one request per call; the busier it is, the
 * larger its batches.
 *
 * <p>Thread-safe and never blocks.
 *
 * @param <R> a request
 * @param <A> the answer to a request
 */
final class Batcher<R, A> {
    /** Locks per call. A larger call would keep other clients from the server for too long. */
    static final int MAX_LOCKS = 128;

    /** How requests of one operation are sent and answered. */
    interface Operation<R, A> {
        /** How many locks a request is about. */
        int locks(R request);

        /** Whether one call can carry both requests. */
        boolean canShareCall(R first, R other);

        /** The call for one request or several. */
        ScriptCall call(List<Pending<R, A>> batch);

        /** Completes every request of the batch. */
        void succeeded(List<Pending<R, A>> batch, Object reply);

        /** Completes or fails every request of the batch that has no answer yet. */
        void failed(List<Pending<R, A>> batch, Throwable error);
    }

    /** A request without an answer yet. */
    record Pending<R, A>(R request, CompletableFuture<A> answer) {
        /** Completes this request as another call completes. */
        void completeWith(CompletableFuture<A> other) {
            other.whenComplete((found, error) -> {
                if (error != null) {
                    answer.completeExceptionally(error);
                } else {
                    answer.complete(found);
                }
            });
        }
    }

    private final Servers servers;
    private final Operation<R, A> operation;
    private volatile @Nullable Batch open;

    /** @param servers a single server, which has all locks */
    Batcher(Servers servers, Operation<R, A> operation) {
        this.servers = servers;
        this.operation = operation;
    }

    CompletableFuture<A> submit(R request) {
        Pending<R, A> pending = new Pending<>(request, new CompletableFuture<>());
        Batch batch = open;
        if (batch == null || !batch.join(pending)) {
            // Two threads that find no open batch each start one, and later requests join the last one. That is
            // harmless, so nothing is locked here.
            Batch own = new Batch(pending);
            open = own;
            own.send();
        }
        return pending.answer();
    }

    /** The requests of one call. */
    private final class Batch {
        private final ReentrantLock mutex = new ReentrantLock();
        private final List<Pending<R, A>> members = new ArrayList<>(4);
        private final ScriptCall firstOnly;
        private int locks;
        private @Nullable ScriptCall sealed; // no request joins once this is set

        Batch(Pending<R, A> first) {
            members.add(first);
            locks = operation.locks(first.request());
            // The caller's thread builds it, because all callers share the connection's thread.
            firstOnly = operation.call(members);
        }

        boolean join(Pending<R, A> pending) {
            int more = operation.locks(pending.request());
            mutex.lock();
            try {
                if (sealed != null
                        || locks + more > MAX_LOCKS
                        || !operation.canShareCall(members.get(0).request(), pending.request())) {
                    return false;
                }
                members.add(pending);
                locks += more;
                return true;
            } finally {
                mutex.unlock();
            }
        }

        void send() {
            servers.call(0, this::seal, this::succeeded).whenComplete((reply, error) -> {
                if (error != null) {
                    sealUnsent();
                    operation.failed(members, error);
                }
            });
        }

        private Object succeeded(Object reply) {
            operation.succeeded(members, reply);
            return reply;
        }

        /** The call, decided when the connection first asks for it, just before it encodes it. */
        private ScriptCall seal() {
            mutex.lock();
            try {
                ScriptCall call = sealed;
                if (call == null) {
                    call = members.size() == 1 ? firstOnly : operation.call(members);
                    sealed = call;
                }
                return call;
            } finally {
                mutex.unlock();
            }
        }

        /** Closes a batch that was never encoded, so that later requests do not join it. */
        private void sealUnsent() {
            mutex.lock();
            try {
                sealed = sealed == null ? firstOnly : sealed;
            } finally {
                mutex.unlock();
            }
        }
    }
}
