package dev.interlock.support;

import dev.interlock.spi.Backend;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
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
 * A backend whose calls can be held back, lost, failed or answered late, one by one.
 *
 * <p>What is scripted for an operation is used up call by call, in order; then the calls go through, unless the store is down.
 */
public final class ScriptedBackend implements Backend {
    /** The operations that can be scripted. */
    public enum Op {
        TERMS,
        ATTEMPT,
        KEEP_WAITING,
        WITHDRAW,
        RENEW,
        RELEASE,
        EXCHANGE,
        SNAPSHOT
    }

    /** What happens to one call: the supplier carries it out. */
    public interface Step {
        /** Carries the call out, or not, and answers. */
        CompletionStage<Object> take(Supplier<CompletionStage<Object>> call);
    }

    /** Calls or answers that wait for the test to let them go. */
    public static final class Held {
        private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

        /** How many have come here. */
        public int size() {
            return waiting.size();
        }

        /** Lets them go, in order. */
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
    private final Queue<Granted> pushes = new ConcurrentLinkedQueue<>();
    private volatile boolean holdsPushes;
    private volatile @Nullable Supplier<StoreException> down;
    private volatile @Nullable StoreContext context;
    private volatile boolean closed;

    /** Passes everything through until told otherwise. */
    public ScriptedBackend(Backend inner) {
        this(inner, same -> same);
    }

    /** With other capabilities. */
    public ScriptedBackend(Backend inner, UnaryOperator<StoreCapabilities> capabilities) {
        this.inner = inner;
        this.capabilities = capabilities;
    }

    /** Without a queue and without pushes, so that it must be polled. */
    public static StoreCapabilities polled(StoreCapabilities of) {
        return new StoreCapabilities(
                of.tokens(),
                of.ownership(),
                of.multiKey(),
                StoreCapabilities.Queue.NONE,
                StoreCapabilities.Push.NONE,
                of.modes(),
                of.lockDelay(),
                of.granularity(),
                of.introspection(),
                of.forcedRelease(),
                of.waitNotes());
    }

    /** Without notes about waits. */
    public static StoreCapabilities withoutNotes(StoreCapabilities of) {
        return new StoreCapabilities(
                of.tokens(),
                of.ownership(),
                of.multiKey(),
                of.queue(),
                of.push(),
                of.modes(),
                of.lockDelay(),
                of.granularity(),
                of.introspection(),
                of.forcedRelease(),
                false);
    }

    /** Scripts one call. */
    public void next(Op op, Step step) {
        script.computeIfAbsent(op, unused -> new ConcurrentLinkedQueue<>()).add(step);
    }

    /** Forgets what was scripted. */
    public void clear(Op op) {
        script.remove(op);
    }

    /** The next call goes through. */
    public void pass(Op op) {
        next(op, Supplier::get);
    }

    /** The next call is carried out now and answered when let go. */
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

    /** The next calls are carried out only when let go. */
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

    /** The next call fails, its outcome unknown, whether or not it was carried out. */
    public void lose(Op op, boolean carriedOut) {
        next(op, call -> {
            if (carriedOut) {
                var unused = call.get();
            }
            return CompletableFuture.failedFuture(StoreException.unknown("connection reset", null));
        });
    }

    /** Every call that is not scripted fails like this from now on; null lets them through again. */
    public void down(@Nullable Supplier<StoreException> how) {
        down = how;
    }

    /** Keeps grants that the store pushes. */
    public void holdPushes() {
        holdsPushes = true;
    }

    /** Delivers the pushes that were kept, and further ones at once. */
    public void letPushesGo() {
        holdsPushes = false;
        for (Granted next = pushes.poll(); next != null; next = pushes.poll()) {
            listener().granted(next);
        }
    }

    /** How many pushes are kept. */
    public int heldPushes() {
        return pushes.size();
    }

    /** The engine, as the store sees it. */
    public StoreListener listener() {
        return context().listener();
    }

    /** What the engine offers the store. */
    public StoreContext context() {
        return Objects.requireNonNull(context, "not opened");
    }

    /** How often this operation was called. */
    public int calls(Op op) {
        return arguments(op).size();
    }

    /** What it was called with. */
    public List<Object> arguments(Op op) {
        return calls.computeIfAbsent(op, unused -> new CopyOnWriteArrayList<>());
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

    /** A push that the store sends; kept if told so. */
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

    @SuppressWarnings("unchecked") // a script does not look at what it passes on
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
