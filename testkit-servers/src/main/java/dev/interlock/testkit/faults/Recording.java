package dev.interlock.testkit.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Requests that passed through a proxy and can be sent to the server again, late or twice.
 *
 * <p>Closing ends the recording. Recorded requests can be replayed as long as the proxy is open. Thread-safe.
 *
 * @since 0.1.0
 */
public final class Recording implements AutoCloseable {
    private final FaultProxy proxy;
    private final List<SentRequest> requests = new CopyOnWriteArrayList<>();
    private final AwaitableCounter counter = new AwaitableCounter();
    private volatile @Nullable Fault source;

    Recording(FaultProxy proxy) {
        this.proxy = proxy;
    }

    /** How many requests were recorded. */
    public int size() {
        return requests.size();
    }

    /**
     * Waits until this many requests are recorded.
     *
     * @throws AssertionError if they are not within the patience
     */
    public void awaitSize(int wanted, Duration patience) {
        if (!counter.await(wanted, patience)) {
            throw new AssertionError("Recorded " + size() + " requests within " + patience + ", not " + wanted);
        }
    }

    /**
     * Sends a recorded request to the proxy's current target, on a connection of its own without faults, and waits for
     * the reply. No client receives it.
     *
     * @param number of the request, from 1
     * @return the first message of the reply
     * @throws IllegalStateException if the server did not reply within the patience, which is limited to ten seconds,
     * or refused the connection, or the thread was interrupted; the interrupt flag stays set
     * @throws IndexOutOfBoundsException if there is no such request
     */
    public byte[] replay(int number, Duration patience) {
        SentRequest request = requests.get(number - 1);
        if (proxy.switchboard().loop().isLoopThread()) {
            throw new IllegalStateException("The proxy's own thread cannot wait for an answer: replay from the test");
        }
        Replay replay =
                proxy.switchboard().loop().call(() -> proxy.switchboard().replay(request));
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
        counter.add();
    }
}
