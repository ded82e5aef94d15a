package dev.interlock.testkit.workers;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.testkit.process.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The test's end of the line to a worker: commands with answers, and what the worker tells by itself.
 *
 * <p>Every wait has a limit, and every failure shows the end of the worker's log. When the worker ends, all that is still
 * waited for fails at once. Thread-safe.
 */
final class WorkerLine {
    private final String name;
    private final ChildProcess process;
    private final Map<Long, CompletableFuture<Message>> pending = new ConcurrentHashMap<>();
    private final BlockingQueue<Message> told = new LinkedBlockingQueue<>();
    private final AtomicLong ids = new AtomicLong();
    private final ReentrantLock writing = new ReentrantLock();
    private volatile boolean ended;

    WorkerLine(String name, ChildProcess process) {
        this.name = name;
        this.process = process;
        Thread reader = new Thread(this::read, name + "-line");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.output(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                hear(Message.parse(line));
            }
        } catch (IOException e) {
            // The process was killed while it spoke.
        } finally {
            ended = true;
            pending.values().forEach(answer -> answer.completeExceptionally(gone()));
        }
    }

    private void hear(Message message) {
        if (message.id() == 0) {
            told.add(message);
            return;
        }
        @Nullable CompletableFuture<Message> answer = pending.remove(message.id());
        if (answer == null) {
            return;
        }
        if (message.verb().equals("error")) {
            answer.completeExceptionally(new IllegalStateException(name + " failed: " + message.text("why")));
        } else {
            answer.complete(message);
        }
    }

    /** Sends a command; the future fails when the worker ends first. */
    CompletableFuture<Message> send(Message command) {
        long id = ids.incrementAndGet();
        CompletableFuture<Message> answer = new CompletableFuture<>();
        pending.put(id, answer);
        writing.lock();
        try {
            OutputStream out = process.input();
            out.write((command.numbered(id) + "\n").getBytes(UTF_8));
            out.flush();
        } catch (IOException e) {
            answer.completeExceptionally(gone());
        } finally {
            writing.unlock();
        }
        // The reader may have ended between the two steps above, and would not have seen this one.
        if (ended) {
            answer.completeExceptionally(gone());
        }
        return answer;
    }

    /** Waits for an answer. */
    <T> T await(String what, CompletableFuture<T> answer, Duration atMost) {
        try {
            return answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw Children.failed(name + " did not answer \"" + what + "\" within " + atMost + ".", process);
        } catch (ExecutionException e) {
            throw Children.failed("\"" + what + "\": " + e.getCause(), process);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + name, e);
        }
    }

    /** Waits for the next thing that the worker tells by itself; it must be this. */
    Message awaitTold(String verb, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        try {
            while (true) {
                Message message = told.poll(20, TimeUnit.MILLISECONDS);
                if (message != null && message.verb().equals(verb)) {
                    return message;
                } else if (message != null) {
                    throw Children.failed(name + " said \"" + message + "\" instead of \"" + verb + "\".", process);
                } else if (ended) {
                    throw Children.failed(name + " ended before it said \"" + verb + "\".", process);
                } else if (System.nanoTime() > deadline) {
                    throw Children.failed(name + " did not say \"" + verb + "\" within " + atMost + ".", process);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + name, e);
        }
    }

    private IllegalStateException gone() {
        return new IllegalStateException(name + " has ended.");
    }
}
