package dev.interlock.testkit.faults;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A point where faults can be injected: all present and future connections of a {@link FaultProxy}, or a single {@link
 * ProxiedConnection}.
 *
 * <p>Methods that return a {@link Fault} inject a fault that is in force until it is healed. Several faults can be in
 * force at once. They apply in the order of their injection, those of the proxy first. Methods that return a number act
 * at once and return how many open connections they hit. Both take effect before they return, and can be called at any
 * time from any thread. On a closed connection they do nothing and count nothing; on a closed proxy they throw {@link
 * IllegalStateException}.
 *
 * <p>A TCP stream has no gaps. A fault that drops or swallows single messages and passes later ones does what no
 * network does: a client that pairs replies with requests by order then takes one reply for another. {@link
 * #drop(Direction)}, {@link #silenceBeforeReply} and {@link #cutBeforeReply} lose messages as a network does.
 *
 * @since 0.1.0
 */
public abstract sealed class FaultPoint permits FaultProxy, ProxiedConnection {
    /** The interval at which limited bandwidth is granted. */
    private static final long SLICE_NANOS = Duration.ofMillis(10).toNanos();

    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    private final Map<FaultKind, AtomicLong> counts = new EnumMap<>(FaultKind.class);

    FaultPoint() {
        for (FaultKind kind : FaultKind.values()) {
            counts.put(kind, new AtomicLong());
        }
    }

    /** How often faults of this kind acted here, healed ones included. */
    public long acted(FaultKind kind) {
        return counter(kind).get();
    }

    /** Delays each message by this time, in order. */
    public Fault delay(Direction direction, Duration by) {
        long nanos = positive(by, "delay");
        return inject(
                FaultKind.DELAY,
                "delay " + direction + " by " + by,
                fault -> new DelayRule(fault, direction, () -> nanos));
    }

    /**
     * Delays each message by a random time of at most this length. The order is kept, so a short delay behind a long
     * one is extended. The random numbers come from the proxy's seed.
     */
    public Fault jitter(Direction direction, Duration upTo) {
        long nanos = positive(upTo, "jitter");
        return inject(
                FaultKind.DELAY,
                "jitter " + direction + " up to " + upTo,
                fault -> new DelayRule(fault, direction, () -> proxy().random().nextLong(nanos + 1)));
    }

    /** Delivers this many bytes per connection, then pauses, repeatedly. */
    public Fault drip(Direction direction, int bytes, Duration every) {
        String words = "drip " + direction + " of " + bytes + " bytes every " + every;
        return pace(words, direction, positive(bytes, "bytes"), positive(every, "pause"));
    }

    /** Delivers at most this many bytes per second and connection, evenly spread. */
    public Fault bandwidth(Direction direction, long bytesPerSecond) {
        long perSlice = positive(bytesPerSecond, "bytesPerSecond") * SLICE_NANOS / SECOND_NANOS;
        String words = "bandwidth " + direction + " of " + bytesPerSecond + " bytes per second";
        return perSlice > 0
                ? pace(words, direction, perSlice, SLICE_NANOS)
                : pace(words, direction, 1, SECOND_NANOS / bytesPerSecond);
    }

    /**
     * Drops all bytes in this direction and leaves the sockets open: a one-way black hole. If the sender closes its
     * side, the receiver learns of it when the fault is healed.
     */
    public Fault drop(Direction direction) {
        return inject(FaultKind.DROP, "drop " + direction, fault -> new DropRule(fault, Choice.all(direction)));
    }

    /** Drops matching messages and passes all others. The third reply is {@code drop(anyReply().nth(3))}. */
    public Fault drop(Matching messages) {
        check(messages);
        return inject(FaultKind.DROP, "drop " + messages, fault -> new DropRule(fault, Choice.of(messages)));
    }

    /**
     * Holds all bytes in this direction and delivers them when the fault is healed. When some megabytes are held, the
     * proxy stops reading from the sender.
     */
    public Fault hold(Direction direction) {
        return inject(FaultKind.HOLD, "hold " + direction, fault -> new HoldRule(fault, Choice.all(direction), false));
    }

    /**
     * Holds a matching message until the fault is healed, and everything behind it on its connection. Requests are
     * delivered even if the client has gone: the server's side stays open for them. They are lost when the server
     * closes its side, or when the connection is cut or reset here.
     */
    public Fault hold(Matching messages) {
        check(messages);
        return inject(FaultKind.HOLD, "hold " + messages, fault -> new HoldRule(fault, Choice.of(messages), false));
    }

    /**
     * Holds a matching request as {@link #hold(Matching)} does, and closes the client's side of its connection at once.
     * When the fault is healed, the request arrives late and no client waits for its reply. {@link
     * ProxiedConnection#awaitClosed} then returns when the server has processed it.
     */
    public Fault holdAndCut(Matching requests) {
        checkRequest(requests);
        return inject(
                FaultKind.HOLD, "hold and cut at " + requests, fault -> new HoldRule(fault, Choice.of(requests), true));
    }

    /** Passes a matching request to the server, drops its reply, and passes later replies. */
    public Fault swallowReply(Matching requests) {
        return loseReply(FaultKind.DROP, "swallow the reply to ", requests, LostReplyRule.AfterLoss.CONTINUE);
    }

    /**
     * Passes a matching request to the server; drops its reply and everything the server sends after it. The sockets
     * stay open.
     */
    public Fault silenceBeforeReply(Matching requests) {
        return loseReply(FaultKind.DROP, "silence before the reply to ", requests, LostReplyRule.AfterLoss.SILENCE);
    }

    /** Passes a matching request to the server and closes the connection when the reply begins to arrive. */
    public Fault cutBeforeReply(Matching requests) {
        return loseReply(FaultKind.CUT, "cut before the reply to ", requests, LostReplyRule.AfterLoss.CUT);
    }

    /**
     * Sends a matching request twice: as usual, and at the same time on a connection of its own whose reply is ignored.
     * Login requests are repeated there first if the framing knows them. MySQL requests cannot be replayed, because
     * MySQL logins cannot.
     */
    public Fault replay(Matching requests) {
        checkRequest(requests);
        return inject(
                FaultKind.REPLAY, "replay " + requests, fault -> new ReplayRule(fault, requests, replayOn(fault)));
    }

    /** Records matching requests, so that one can be sent again later. */
    public Recording record(Matching requests) {
        checkRequest(requests);
        Recording recording = new Recording(proxy());
        recording.start(inject(
                FaultKind.REPLAY, "record " + requests, fault -> new ReplayRule(fault, requests, recording::add)));
        return recording;
    }

    /**
     * Passes exactly this many more bytes of each connection in this direction, then resets the connection on both
     * sides.
     */
    public Fault resetAfter(Direction direction, long bytes) {
        positive(bytes, "bytes");
        String words = "reset after " + bytes + " bytes " + direction;
        return inject(FaultKind.RESET, words, fault -> new ResetAfterRule(fault, direction, bytes));
    }

    /** Resets all open connections after a random time between these two, repeatedly, until healed. */
    public Fault resetStorm(Duration atLeast, Duration atMost) {
        long from = positive(atLeast, "shortest pause");
        long to = positive(atMost, "longest pause");
        if (from > to) {
            throw new IllegalArgumentException(
                    "The shortest pause " + atLeast + " is longer than the longest " + atMost);
        }
        return inject(
                FaultKind.RESET,
                "reset storm every " + atLeast + " to " + atMost,
                fault -> new StormRule(fault, loop(), () -> proxy().random().nextLong(from, to + 1), this::pairs));
    }

    /** Resets all open connections on both sides and returns how many. */
    public int reset() {
        return now(FaultKind.RESET, SocketPair::reset);
    }

    /** Closes all open connections on both sides and returns how many. Bytes in transit are lost. */
    public int cut() {
        return now(FaultKind.CUT, SocketPair::cut);
    }

    /**
     * Ends one direction: its receiver reads to the end, and what the sender still sends is lost. The other direction
     * stays open. Returns the number of connections.
     */
    public int halfClose(Direction direction) {
        return now(FaultKind.HALF_CLOSE, pair -> pair.flow(direction).end(ProxiedMessage.Ending.FIN));
    }

    abstract FaultProxy proxy();

    abstract List<Rule> ruleList();

    /** The open connections. */
    abstract List<SocketPair> pairs();

    void count(FaultKind kind) {
        counter(kind).incrementAndGet();
    }

    private AtomicLong counter(FaultKind kind) {
        return Objects.requireNonNull(counts.get(kind));
    }

    private Loop loop() {
        return proxy().switchboard().loop();
    }

    private Fault inject(FaultKind kind, String words, Function<Fault, Rule> make) {
        Fault fault = new Fault(kind, words, this::heal);
        return loop().call(() -> {
            ruleList().add(make.apply(fault));
            return fault;
        });
    }

    private void heal(Fault fault) {
        proxy().ifOpen(() -> {
            fault.healed();
            ruleList().removeIf(rule -> rule.fault() == fault);
            proxy().pairs().forEach(pair -> {
                pair.flow(Direction.TO_SERVER).flush();
                pair.flow(Direction.TO_CLIENT).flush();
            });
        });
    }

    private int now(FaultKind kind, Consumer<SocketPair> action) {
        return loop().call(() -> {
            List<SocketPair> open = pairs();
            open.forEach(pair -> {
                action.accept(pair);
                pair.connection().count(kind);
            });
            return open.size();
        });
    }

    private Fault pace(String words, Direction direction, long bytes, long everyNanos) {
        return inject(FaultKind.PACE, words, fault -> new PaceRule(fault, loop(), direction, bytes, everyNanos));
    }

    private Fault loseReply(FaultKind kind, String words, Matching requests, LostReplyRule.AfterLoss afterLoss) {
        checkRequest(requests);
        return inject(kind, words + requests, fault -> new LostReplyRule(fault, requests, afterLoss));
    }

    /** Replays after the read that brought the request, because then all its messages have arrived. */
    private BiConsumer<ProxiedConnection, SentRequest> replayOn(Fault fault) {
        return (connection, request) -> loop().post(() -> {
            proxy().switchboard().replay(request);
            fault.act(connection);
        });
    }

    private void check(Matching messages) {
        if (messages.role() == Matching.Role.PUSH && proxy().switchboard().framing() == Framing.raw()) {
            throw new IllegalArgumentException(
                    "Raw framing cannot distinguish a push from a reply, so " + messages + " would never match");
        }
    }

    private static void checkRequest(Matching requests) {
        if (requests.role() != Matching.Role.REQUEST) {
            throw new IllegalArgumentException("Give a matching for requests, not " + requests);
        }
    }

    private static long positive(Duration length, String what) {
        return positive(length.toNanos(), what);
    }

    private static long positive(long number, String what) {
        if (number <= 0) {
            throw new IllegalArgumentException("The " + what + " must be more than zero, not " + number);
        }
        return number;
    }
}
