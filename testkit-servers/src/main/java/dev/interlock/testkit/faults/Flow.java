package dev.interlock.testkit.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One direction of one connection: reads, asks the rules, queues, writes.
 *
 * <p>Invariants: messages leave in the order in which they came; a message that waits keeps all behind it waiting; the end of
 * the source is behind all its bytes. When too much is queued the source is not read, as a slow receiver would do.
 *
 * <p>Only the proxy's thread uses it; the counters may be read by all.
 */
final class Flow {
    /** Beyond this the source has to wait; enough for 80 MB/s under a delay of 100 ms. */
    private static final long MAX_QUEUED_BYTES = 8 << 20;

    private static final int MAX_MESSAGES_PER_WRITE = 64;

    private final Wire wire;
    private final Direction direction;
    private final SocketChannel source;
    private final SocketChannel sink;
    private final Framing.Splitter splitter;
    private final Assembly assembly;
    private final Deque<Message> queue = new ArrayDeque<>();
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

    Flow(Wire wire, Direction direction, SocketChannel source, SocketChannel sink, Framing framing) {
        this.wire = wire;
        this.direction = direction;
        this.source = source;
        this.sink = sink;
        this.splitter = framing.splitter(direction);
        this.assembly = new Assembly(splitter);
    }

    Direction direction() {
        return direction;
    }

    Wire wire() {
        return wire;
    }

    ProxiedConnection connection() {
        return wire.connection();
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

    /** How many requests or replies have started. */
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
            endSource(Message.Ending.RST);
            wire.lost(this);
            return;
        }
        if (length < 0) {
            endSource(Message.Ending.FIN);
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

    /** No more bytes will come. The end travels behind those that have. */
    void endSource(Message.Ending ending) {
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
        // RST would destroy what is still under way; then the end is an orderly one.
        end(queue.isEmpty() ? ending : Message.Ending.FIN);
    }

    /** Ends the sink's side; what the source still sends is lost. */
    void end(Message.Ending ending) {
        if (!discarding) {
            discarding = true;
            Message end = Message.end(ending);
            wire.rules().forEach(rule -> rule.ending(this, end));
            enqueue(end);
        }
        flush();
    }

    /**
     * The sink takes no more; what comes is thrown away. A server that still works for a client that is gone is read to its end,
     * so that its connection ends after its work.
     */
    void loseSink() {
        discarding = true;
        sinkLost = true;
        done = direction == Direction.TO_SERVER || sourceEnded;
        sinkFull = false;
        queue.clear();
        queuedBytes = 0;
        wire.closeIfDone();
    }

    /** Writes what may be written now. Called whenever that can have changed. */
    void flush() {
        try {
            while (!done && !sinkLost && wire.isUsable() && writeSome()) {
                // The sink took all it was given, so there may be more to give.
            }
        } catch (IOException sinkIsGone) {
            loseSink();
        }
        wire.refreshInterest();
    }

    private void arrive(byte[] bytes) {
        Framing.Part part = splitter.part(bytes);
        units += part == Framing.Part.FIRST ? 1 : 0;
        messages.lazySet(messages.get() + 1);
        Message message = Message.of(bytes, part, units);
        wire.noteArrival(this, message);
        for (Rule rule : wire.rules()) {
            if (!rule.passes(this, message) || !wire.isOpen()) {
                return;
            }
        }
        wire.notePassed(this, message);
        enqueue(message);
    }

    private void enqueue(Message message) {
        if (message.isTimed()) {
            message.dueAt(System.nanoTime() + message.delayNanos());
            wire.loop().at(message.dueNanos(), this::flush);
        }
        queue.add(message);
        queuedBytes += message.bytes().length;
    }

    /** Whether to go on at once. */
    private boolean writeSome() throws IOException {
        sinkFull = false;
        Message head = queue.peek();
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

    private static boolean isReady(Message message) {
        return !message.isHeld() && (!message.isTimed() || message.dueNanos() - System.nanoTime() <= 0);
    }

    private void deliverEnd(Message end) throws IOException {
        if (end.ending() == Message.Ending.RST) {
            wire.reset();
            return;
        }
        queue.clear();
        done = true;
        sink.shutdownOutput();
        wire.closeIfDone();
    }

    private long allowance() {
        long allowed = Long.MAX_VALUE;
        for (Rule rule : wire.rules()) {
            allowed = Math.min(allowed, rule.allowance(this));
        }
        return allowed;
    }

    private boolean writeMany() throws IOException {
        ByteBuffer[] buffers = queue.stream()
                .takeWhile(message -> !message.isEnd() && isReady(message))
                .limit(MAX_MESSAGES_PER_WRITE)
                .map(Message::rest)
                .toArray(ByteBuffer[]::new);
        wrote(buffers.length == 1 ? sink.write(buffers[0]) : sink.write(buffers));
        sinkFull = buffers[buffers.length - 1].hasRemaining();
        return !sinkFull;
    }

    private boolean writeAtMost(Message message, long allowed) throws IOException {
        ByteBuffer rest = message.rest();
        int limit = rest.limit();
        long wanted = Math.min(allowed, rest.remaining());
        rest.limit(rest.position() + (int) wanted);
        long written = sink.write(rest);
        rest.limit(limit);
        wrote(written);
        wire.rules().forEach(rule -> rule.wrote(this, written));
        sinkFull = written < wanted;
        return !sinkFull;
    }

    private void wrote(long written) {
        delivered.lazySet(delivered.get() + written);
        queuedBytes -= written;
        for (Message head = queue.peek();
                head != null && !head.isEnd() && !head.rest().hasRemaining();
                head = queue.peek()) {
            queue.remove();
        }
    }
}
