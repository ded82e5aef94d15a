package dev.interlock.testkit.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Requests that passed through a proxy, ready to be sent to the server again: an old request that arrives late, or twice.
 *
 * <p>Closing it ends the recording; what was recorded can be replayed as long as the proxy is open. Thread-safe.
 */
public final class Recording implements AutoCloseable {
    private final FaultProxy proxy;
    private final List<SentRequest> requests = new CopyOnWriteArrayList<>();
    private final Tally tally = new Tally();
    private volatile @Nullable Fault source;

    Recording(FaultProxy proxy) {
        this.proxy = proxy;
    }

    /** How many requests were recorded. */
    public int size() {
        return requests.size();
    }

    /**
     * Waits until so many requests are recorded.
     *
     * @throws AssertionError if they are not within the patience
     */
    public void awaitSize(int wanted, Duration patience) {
        if (!tally.await(wanted, patience)) {
            throw new AssertionError("Recorded " + size() + " requests within " + patience + ", not " + wanted);
        }
    }

    /**
     * Sends a recorded request to the proxy's present target, on a connection of its own that no fault touches, and waits for the
     * answer; no client hears of it.
     *
     * @param number of the request, from 1
     * @return the first message of the answer
     * @throws IllegalStateException if the server did not answer within the patience, which ends after ten seconds at the latest, or refused
     *     the connection, or the thread was interrupted, which stays set
     * @throws IndexOutOfBoundsException if there is no such request
     */
    public byte[] replay(int number, Duration patience) {
        SentRequest request = requests.get(number - 1);
        if (proxy.board().loop().isLoopThread()) {
            throw new IllegalStateException("The proxy's own thread cannot wait for an answer: replay from the test");
        }
        Replay replay = proxy.board().loop().call(() -> proxy.board().replay(request));
        proxy.count(FaultKind.REPLAY);
        try {
            return replay.answer().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unanswered(number, interrupted);
        } catch (ExecutionException | TimeoutException failed) {
            throw unanswered(number, failed);
        } finally {
            proxy.ifOpen(replay::close);
        }
    }

    @Override
    public void close() {
        Fault from = source;
        if (from != null) {
            from.heal();
        }
    }

    private IllegalStateException unanswered(int number, Exception cause) {
        return new IllegalStateException(
                "Request " + number + " was replayed to " + proxy.target() + " and not answered", cause);
    }

    void start(Fault from) {
        source = from;
    }

    void add(ProxiedConnection connection, SentRequest request) {
        requests.add(request);
        tally.add();
    }
}
