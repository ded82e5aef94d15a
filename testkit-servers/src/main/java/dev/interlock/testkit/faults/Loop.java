package dev.interlock.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The event loop of a proxy: ready sockets, due timers, and calls from tests.
 *
 * <p>{@link #call} may be used from any thread, everything else only by the loop's own thread. A timer never fires
 * early.
 */
final class Loop {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private record Moment(long nanos, Runnable task) {}

    /** Work for another thread, which waits for the result. */
    private record Call<T>(Supplier<T> work, CompletableFuture<T> answer) implements Runnable {
        @Override
        public void run() {
            try {
                answer.complete(work.get());
            } catch (RuntimeException | Error failed) {
                answer.completeExceptionally(failed);
            }
        }

        /** An interrupt does not end the wait, which is short. The flag stays set. */
        T await() {
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    } catch (InterruptedException again) {
                        interrupted = true;
                    }
                }
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(failed);
            } catch (TimeoutException busy) {
                throw new IllegalStateException(
                        "The proxy's thread is busy for " + PATIENCE + ": does a hook or a matching block?", busy);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        void refuse() {
            answer.completeExceptionally(new IllegalStateException("The proxy is closed"));
        }
    }

    private final Selector selector;
    private final Thread thread;
    private final Consumer<Throwable> failures;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Moment> moments = new PriorityQueue<>((a, b) -> Long.signum(a.nanos() - b.nanos()));
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private volatile boolean closing;
    private volatile boolean ended;

    /** An exception in one step does not end the loop; it is passed to {@code failures}. */
    Loop(String name, Consumer<Throwable> failures) throws IOException {
        this.failures = failures;
        selector = Selector.open();
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Runs work on the loop's thread and waits for the result; runs it directly if called on that thread. */
    <T> T call(Supplier<T> work) {
        if (isLoopThread()) {
            return work.get();
        }
        Call<T> call = new Call<>(work, new CompletableFuture<>());
        tasks.add(call);
        selector.wakeup();
        if (ended) {
            refuseCalls();
        }
        return call.await();
    }

    /** Runs a task after the current one. */
    void post(Runnable task) {
        tasks.add(task);
    }

    /** Runs a task at this {@link System#nanoTime()}, or slightly later. */
    void at(long nanos, Runnable task) {
        moments.add(new Moment(nanos, task));
    }

    /** Calls the handler whenever the channel is ready for the operations of its key. */
    SelectionKey register(SelectableChannel channel, int operations, Consumer<SelectionKey> handler)
            throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, operations, handler);
    }

    /** The selector frees a closed channel only when it selects next. This selects at once. */
    void freeClosedChannels() {
        try {
            selector.selectNow();
        } catch (IOException broken) {
            throw new UncheckedIOException("The selector of " + thread.getName() + " is broken", broken);
        }
    }

    /** A buffer for one read; its content is invalid after the handler returns. */
    ByteBuffer buffer() {
        return buffer.clear();
    }

    boolean isLoopThread() {
        return Thread.currentThread() == thread;
    }

    boolean isClosed() {
        return closing;
    }

    /** Ends the thread and waits for it. */
    void close() {
        closing = true;
        selector.wakeup();
        try {
            thread.join(PATIENCE.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new IllegalStateException("The thread " + thread.getName() + " has not ended yet");
        }
    }

    private void run() {
        try (selector) {
            while (!closing) {
                turn();
            }
        } catch (IOException broken) {
            throw new UncheckedIOException("The selector of " + thread.getName() + " is broken", broken);
        } finally {
            closing = true;
            ended = true;
            refuseCalls();
        }
    }

    private void turn() throws IOException {
        int waiting = tasks.size();
        long wait = millisToNextMoment();
        if (wait == 0 || waiting > 0) {
            selector.selectNow();
        } else {
            selector.select(wait < 0 ? 0 : wait);
        }
        List<SelectionKey> ready = List.copyOf(selector.selectedKeys());
        selector.selectedKeys().clear();
        ready.forEach(this::handle);
        runMoments();
        runTasks(waiting);
    }

    @SuppressWarnings("unchecked") // only register() attaches objects
    private void handle(SelectionKey key) {
        if (key.isValid()) {
            run(() -> ((Consumer<SelectionKey>) key.attachment()).accept(key));
        }
    }

    private void run(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error failed) {
            failures.accept(failed);
        }
    }

    private void runMoments() {
        for (Moment next = moments.peek();
                next != null && next.nanos() - System.nanoTime() <= 0;
                next = moments.peek()) {
            moments.remove();
            run(next.task());
        }
    }

    /**
     * Runs only the tasks that were queued before the sockets were polled. So whatever a peer did before a call is
     * known when the call is done, and a task that posts another one does not delay the sockets.
     */
    private void runTasks(int waiting) {
        for (int left = waiting; left > 0; left--) {
            Runnable task = tasks.poll();
            if (task != null) {
                run(task);
            }
        }
    }

    /** Rounded up, so that no timer fires early; 0 if one is due, -1 if there is none. */
    private long millisToNextMoment() {
        Moment next = moments.peek();
        if (next == null) {
            return -1;
        }
        long nanos = next.nanos() - System.nanoTime();
        return nanos <= 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(nanos) + 1;
    }

    private void refuseCalls() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            if (task instanceof Call<?> call) {
                call.refuse();
            }
        }
    }
}
