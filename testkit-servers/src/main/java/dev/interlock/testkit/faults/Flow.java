package dev.interlock.testkit.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One direction of one connection: reads, applies the rules, queues, writes.
 *
 * <p>Invariants: messages leave in the order of their arrival; a message that waits delays all messages behind it; the
 * end of the source comes after all its bytes. When too much is queued, the source is not read, as if the receiver were
 * slow.
 *
 * <p>Used only by the proxy's thread; any thread may read the counters.
 */
final class Flow {
    /** The limit beyond which the source is not read; enough for 80 MB/s with a delay of 100 ms. */
    private static final long MAX_QUEUED_BYTES = 8 << 20;

    private static final int MAX_MESSAGES_PER_WRITE = 64;

    private final SocketPair pair;
    private final Direction direction;
    private final SocketChannel source;
    private final SocketChannel sink;
    private final Framing.Splitter splitter;
    private final Assembly assembly;
    private final Deque<ProxiedMessage> queue = new ArrayDeque<>();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong delivered = new AtomicLong();
    private long queuedBytes;
    private long units;
    private boolean sourceEnded;
    private boolean discarding;
    private boolean sinkFull;
    private boolean sinkLost;
    private boolean done;

    Flow(SocketPair pair, Direction direction, SocketChannel source, SocketChannel sink, Framing framing) {
        this.pair = pair;
        this.direction = direction;
        this.source = source;
        this.sink = sink;
        this.splitter = framing.splitter(direction);
        this.assembly = new Assembly(splitter);
    }

    Direction direction() {
        return direction;
    }

    SocketPair pair() {
        return pair;
    }

    ProxiedConnection connection() {
        return pair.connection();
    }

    long received() {
        return received.get();
    }

    long messages() {
        return messages.get();
    }

    long delivered() {
        return delivered.get();
    }

    /** How many requests or replies have begun. */
    long units() {
        return units;
    }

    boolean wantsToRead() {
        return !sourceEnded && queuedBytes < MAX_QUEUED_BYTES;
    }

    boolean wantsToWrite() {
        return sinkFull;
    }

    boolean isDone() {
        return done;
    }

    void read(ByteBuffer buffer) {
        int length;
        try {
            length = source.read(buffer);
        } catch (IOException reset) {
            endSource(ProxiedMessage.Ending.RST);
            pair.lost(this);
            return;
        }
        if (length < 0) {
            endSource(ProxiedMessage.Ending.FIN);
            return;
        }
        byte[] bytes = new byte[length];
        buffer.flip().get(bytes);
        received.lazySet(received.get() + length);
        if (!discarding) {
            assembly.add(bytes, this::arrive);
        }
        flush();
    }

    /** The source has ended. Its end is queued behind its bytes. */
    void endSource(ProxiedMessage.Ending ending) {
        if (sourceEnded) {
            return;
        }
        sourceEnded = true;
        if (sinkLost) {
            loseSink();
            return;
        }
        byte[] rest = assembly.rest();
        if (rest.length > 0 && !discarding) {
            arrive(rest);
        }
        // RST would destroy bytes in transit, so the end becomes an orderly one.
        end(queue.isEmpty() ? ending : ProxiedMessage.Ending.FIN);
    }

    /** Ends the sink's side; what the source still sends is lost. */
    void end(ProxiedMessage.Ending ending) {
        if (!discarding) {
            discarding = true;
            ProxiedMessage end = ProxiedMessage.end(ending);
            pair.rules().forEach(rule -> rule.ending(this, end));
            enqueue(end);
        }
        flush();
    }

    /**
     * The sink accepts no more bytes, so further bytes are discarded. A server that still works for a client that has
     * gone is read to its end, so that its connection ends after its work.
     */
    void loseSink() {
        discarding = true;
        sinkLost = true;
        done = direction == Direction.TO_SERVER || sourceEnded;
        sinkFull = false;
        queue.clear();
        queuedBytes = 0;
        pair.closeIfDone();
    }

    /** Writes what can be written now. Called whenever that may have changed. */
    void flush() {
        try {
            while (!done && !sinkLost && pair.isUsable() && writeSome()) {
                // The sink accepted all bytes, so more can be written.
            }
        } catch (IOException sinkIsGone) {
            loseSink();
        }
        pair.refreshInterest();
    }

    private void arrive(byte[] bytes) {
        Framing.Part part = splitter.part(bytes);
        units += part == Framing.Part.FIRST ? 1 : 0;
        messages.lazySet(messages.get() + 1);
        ProxiedMessage message = ProxiedMessage.of(bytes, part, units);
        pair.recordArrival(this, message);
        for (Rule rule : pair.rules()) {
            if (!rule.passes(this, message) || !pair.isOpen()) {
                return;
            }
        }
        pair.recordPassed(this, message);
        enqueue(message);
    }

    private void enqueue(ProxiedMessage message) {
        if (message.isTimed()) {
            message.dueAt(System.nanoTime() + message.delayNanos());
            pair.loop().at(message.dueNanos(), this::flush);
        }
        queue.add(message);
        queuedBytes += message.bytes().length;
    }

    /** Returns whether to continue at once. */
    private boolean writeSome() throws IOException {
        sinkFull = false;
        ProxiedMessage head = queue.peek();
        if (head == null || !isReady(head)) {
            return false;
        }
        if (head.isEnd()) {
            deliverEnd(head);
            return false;
        }
        long allowed = allowance();
        if (allowed == 0) {
            return false;
        }
        return allowed == Long.MAX_VALUE ? writeMany() : writeAtMost(head, allowed);
    }

    private static boolean isReady(ProxiedMessage message) {
        return !message.isHeld() && (!message.isTimed() || message.dueNanos() - System.nanoTime() <= 0);
    }

    private void deliverEnd(ProxiedMessage end) throws IOException {
        if (end.ending() == ProxiedMessage.Ending.RST) {
            pair.reset();
            return;
        }
        queue.clear();
        done = true;
        sink.shutdownOutput();
        pair.closeIfDone();
    }

    private long allowance() {
        long allowed = Long.MAX_VALUE;
        for (Rule rule : pair.rules()) {
            allowed = Math.min(allowed, rule.allowance(this));
        }
        return allowed;
    }

    private boolean writeMany() throws IOException {
        ByteBuffer[] buffers = queue.stream()
                .takeWhile(message -> !message.isEnd() && isReady(message))
                .limit(MAX_MESSAGES_PER_WRITE)
                .map(ProxiedMessage::rest)
                .toArray(ByteBuffer[]::new);
        wrote(buffers.length == 1 ? sink.write(buffers[0]) : sink.write(buffers));
        sinkFull = buffers[buffers.length - 1].hasRemaining();
        return !sinkFull;
    }

    private boolean writeAtMost(ProxiedMessage message, long allowed) throws IOException {
        ByteBuffer rest = message.rest();
        int limit = rest.limit();
        long wanted = Math.min(allowed, rest.remaining());
        rest.limit(rest.position() + (int) wanted);
        long written = sink.write(rest);
        rest.limit(limit);
        wrote(written);
        pair.rules().forEach(rule -> rule.wrote(this, written));
        sinkFull = written < wanted;
        return !sinkFull;
    }

    private void wrote(long written) {
        delivered.lazySet(delivered.get() + written);
        queuedBytes -= written;
        for (ProxiedMessage head = queue.peek();
                head != null && !head.isEnd() && !head.rest().hasRemaining();
                head = queue.peek()) {
            queue.remove();
        }
    }
}
