package dev.interlock.support;

import dev.interlock.spi.Backend;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A backend whose calls can be delayed, lost, failed or answered late, one by one.
 *
 * <p>Each call of an operation uses up one scripted step, in order. Without a step the call is carried out, unless
 * the store is down.
 */
public final class ScriptedBackend implements Backend {
    /** The operations that can be scripted. */
    public enum Op {
        AGREE,
        ATTEMPT,
        KEEP_WAITING,
        WITHDRAW,
        RENEW,
        RELEASE,
        EXCHANGE,
        SNAPSHOT
    }

    /** What happens to one call. The supplier carries it out. */
    public interface Step {
        /** Carries the call out or not, and answers. */
        CompletionStage<Object> take(Supplier<CompletionStage<Object>> call);
    }

    /** Calls or answers that the test holds back. */
    public static final class Held {
        private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

        /** How many are held back. */
        public int size() {
            return waiting.size();
        }

        /** Continues them in order. */
        public void go() {
            for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
                next.run();
            }
        }
    }

    private final Backend inner;
    private final UnaryOperator<StoreCapabilities> capabilities;
    private final Map<Op, Queue<Step>> script = new ConcurrentHashMap<>();
    private final Map<Op, List<Object>> calls = new ConcurrentHashMap<>();
    private final Map<Op, List<Duration>> mayBlock = new ConcurrentHashMap<>();
    private final Queue<Granted> pushes = new ConcurrentLinkedQueue<>();
    private volatile boolean holdsPushes;
    private volatile @Nullable Supplier<StoreException> down;
    private volatile @Nullable StoreContext context;
    private volatile boolean closed;

    /** Carries every call out until a step is scripted. */
    public ScriptedBackend(Backend inner) {
        this(inner, same -> same);
    }

    /** With other capabilities. */
    public ScriptedBackend(Backend inner, UnaryOperator<StoreCapabilities> capabilities) {
        this.inner = inner;
        this.capabilities = capabilities;
    }

    /** Without a queue and pushes, so that it must be polled. */
    public static StoreCapabilities polled(StoreCapabilities of) {
        return of.toBuilder()
                .queue(StoreCapabilities.Queue.NONE)
                .push(StoreCapabilities.Push.NONE)
                .build();
    }

    /** Without wait reports. */
    public static StoreCapabilities withoutWaitReports(StoreCapabilities of) {
        return of.toBuilder().waitReports(false).build();
    }

    /** Scripts one call. */
    public void next(Op op, Step step) {
        script.computeIfAbsent(op, unused -> new ConcurrentLinkedQueue<>()).add(step);
    }

    /** Removes the scripted steps. */
    public void clear(Op op) {
        script.remove(op);
    }

    /** The next call is carried out. */
    public void pass(Op op) {
        next(op, Supplier::get);
    }

    /** The next call is carried out now and answered later. */
    public Held answerLate(Op op) {
        Held held = new Held();
        next(op, call -> {
            CompletionStage<Object> done = call.get();
            CompletableFuture<Object> answer = new CompletableFuture<>();
            held.waiting.add(() -> copy(done, answer));
            return answer;
        });
        return held;
    }

    /** The next calls are carried out later. */
    public Held delay(Op op, int times) {
        Held held = new Held();
        for (int i = 0; i < times; i++) {
            next(op, call -> {
                CompletableFuture<Object> answer = new CompletableFuture<>();
                held.waiting.add(() -> copy(call.get(), answer));
                return answer;
            });
        }
        return held;
    }

    /** The answer of the next call is lost, whether or not the call was carried out. */
    public void lose(Op op, boolean carriedOut) {
        next(op, call -> {
            if (carriedOut) {
                var unused = call.get();
            }
            return CompletableFuture.failedFuture(StoreException.unknown("connection reset", null));
        });
    }

    /** Every call without a scripted step fails like this from now on; null ends the outage. */
    public void down(@Nullable Supplier<StoreException> how) {
        down = how;
    }

    /** Holds back the pushes of the store. */
    public void holdPushes() {
        holdsPushes = true;
    }

    /** Delivers the pushes that were held back. Later pushes are delivered at once. */
    public void deliverPushes() {
        holdsPushes = false;
        for (Granted next = pushes.poll(); next != null; next = pushes.poll()) {
            listener().granted(next);
        }
    }

    /** How many pushes are held back. */
    public int heldPushes() {
        return pushes.size();
    }

    /** The listener that the engine passed to the store. */
    public StoreListener listener() {
        return context().listener();
    }

    /** The context that the engine passed to the store. */
    public StoreContext context() {
        return Objects.requireNonNull(context, "not opened");
    }

    /** How many times this operation was called. */
    public int calls(Op op) {
        return arguments(op).size();
    }

    /** The arguments of the calls. */
    public List<Object> arguments(Op op) {
        return calls.computeIfAbsent(op, unused -> new CopyOnWriteArrayList<>());
    }

    /** For how long each call of this operation was allowed to block the calling thread. */
    public List<Duration> mayBlock(Op op) {
        return mayBlock.computeIfAbsent(op, unused -> new CopyOnWriteArrayList<>());
    }

    void recordMayBlock(Op op, long nanos) {
        mayBlock(op).add(Duration.ofNanos(nanos));
    }

    /** Whether it was closed. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public String name() {
        return "scripted";
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities.apply(inner.capabilities());
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        this.context = context;
        return new ScriptedStore(this, inner.openLocks(new ScriptedContext(this, context)));
    }

    @Override
    public void close() {
        closed = true;
    }

    /** Delivers a push of the store, or holds it back. */
    void push(Granted granted) {
        if (holdsPushes) {
            pushes.add(granted);
        } else {
            listener().granted(granted);
        }
    }

    private static void copy(CompletionStage<Object> from, CompletableFuture<Object> to) {
        var unused = from.whenComplete((answer, error) -> {
            if (error != null) {
                to.completeExceptionally(error);
            } else {
                to.complete(answer);
            }
        });
    }

    @SuppressWarnings("unchecked") // a step does not inspect the answer
    <T> CompletionStage<T> run(Op op, Object argument, Supplier<CompletionStage<T>> call) {
        arguments(op).add(argument);
        Queue<Step> steps = script.get(op);
        Step step = steps == null ? null : steps.poll();
        if (step != null) {
            return (CompletionStage<T>) step.take(() -> (CompletionStage<Object>) call.get());
        }
        Supplier<StoreException> how = down;
        return how != null ? CompletableFuture.failedFuture(how.get()) : call.get();
    }
}
