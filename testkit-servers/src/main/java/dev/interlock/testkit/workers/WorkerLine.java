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
 * The test's end of the connection to a worker: commands with answers, and reports of the worker.
 *
 * <p>Every wait has a limit, and every failure shows the end of the worker's log. When the worker ends, all pending
 * waits fail at once. Thread-safe.
 */
final class WorkerLine {
    private final String name;
    private final ChildProcess process;
    private final Map<Long, CompletableFuture<WorkerMessage>> pending = new ConcurrentHashMap<>();
    private final BlockingQueue<WorkerMessage> reports = new LinkedBlockingQueue<>();
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
                receive(WorkerMessage.parse(line));
            }
        } catch (IOException e) {
            // The process was killed while it was writing.
        } finally {
            ended = true;
            pending.values().forEach(answer -> answer.completeExceptionally(gone()));
        }
    }

    private void receive(WorkerMessage message) {
        if (message.id() == 0) {
            reports.add(message);
            return;
        }
        @Nullable CompletableFuture<WorkerMessage> answer = pending.remove(message.id());
        if (answer == null) {
            return;
        }
        if (message.verb().equals("error")) {
            answer.completeExceptionally(new IllegalStateException(name + " failed: " + message.text("why")));
        } else {
            answer.complete(message);
        }
    }

    /** Sends a command. The future fails if the worker ends first. */
    CompletableFuture<WorkerMessage> send(WorkerMessage command) {
        long id = ids.incrementAndGet();
        CompletableFuture<WorkerMessage> answer = new CompletableFuture<>();
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
        // The reader may have ended between the two steps above without seeing this command.
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

    /** Waits for the next report of the worker, which must have this verb. */
    WorkerMessage awaitReport(String verb, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        try {
            while (true) {
                WorkerMessage message = reports.poll(20, TimeUnit.MILLISECONDS);
                if (message != null && message.verb().equals(verb)) {
                    return message;
                } else if (message != null) {
                    throw Children.failed(name + " reported \"" + message + "\" instead of \"" + verb + "\".", process);
                } else if (ended) {
                    throw Children.failed(name + " ended before it reported \"" + verb + "\".", process);
                } else if (System.nanoTime() > deadline) {
                    throw Children.failed(name + " did not report \"" + verb + "\" within " + atMost + ".", process);
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
