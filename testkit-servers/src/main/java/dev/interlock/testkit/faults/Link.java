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
 * What faults can be put on: all connections of a {@link FaultProxy}, present and future, or a single {@link ProxiedConnection}.
 *
 * <p>Methods that return a {@link Fault} put something in force until it is healed; several can be in force at once, and are
 * asked in the order in which they were injected, those of the proxy first. Methods that return a number do something now
 * and say to how many open connections. Either has happened when the method returns, and can be called at any time from
 * any thread. On a connection that has closed nothing happens and nothing is counted; on a proxy that is closed they throw
 * {@link IllegalStateException}.
 *
 * <p>A TCP stream has no gaps. So a fault that drops or swallows single messages and lets later ones pass makes something no
 * network does; clients that pair replies with requests by their order then take one reply for another. {@link #drop(Direction)},
 * {@link #silenceBeforeReply} and {@link #cutBeforeReply} lose messages the way a network does.
 */
public abstract sealed class Link permits FaultProxy, ProxiedConnection {
    /** The slices in which limited bandwidth is handed out. */
    private static final long SLICE_NANOS = Duration.ofMillis(10).toNanos();

    private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

    private final Map<FaultKind, AtomicLong> counts = new EnumMap<>(FaultKind.class);

    Link() {
        for (FaultKind kind : FaultKind.values()) {
            counts.put(kind, new AtomicLong());
        }
    }

    /** How often faults of this kind acted here, whichever they were and whether they are healed or not. */
    public long acted(FaultKind kind) {
        return counter(kind).get();
    }

    /** Each message arrives so much later, in the same order. */
    public Fault delay(Direction direction, Duration by) {
        long nanos = positive(by, "delay");
        return inject(
                FaultKind.DELAY,
                "delay " + direction + " by " + by,
                fault -> new DelayRule(fault, direction, () -> nanos));
    }

    /**
     * Each message is delayed by a random time, from nothing up to a bound. The order is kept, so a short delay behind a long one
     * is lengthened. The random numbers come from the seed of the proxy.
     */
    public Fault jitter(Direction direction, Duration upTo) {
        long nanos = positive(upTo, "jitter");
        return inject(
                FaultKind.DELAY,
                "jitter " + direction + " up to " + upTo,
                fault -> new DelayRule(fault, direction, () -> proxy().random().nextLong(nanos + 1)));
    }

    /** Slow drip: each connection delivers so many bytes, then pauses. */
    public Fault drip(Direction direction, int bytes, Duration every) {
        String words = "drip " + direction + " of " + bytes + " bytes every " + every;
        return pace(words, direction, positive(bytes, "bytes"), positive(every, "pause"));
    }

    /** Each connection delivers at most so many bytes in a second, evenly spread. */
    public Fault bandwidth(Direction direction, long bytesPerSecond) {
        long perSlice = positive(bytesPerSecond, "bytesPerSecond") * SLICE_NANOS / SECOND_NANOS;
        String words = "bandwidth " + direction + " of " + bytesPerSecond + " bytes per second";
        return perSlice > 0
                ? pace(words, direction, perSlice, SLICE_NANOS)
                : pace(words, direction, 1, SECOND_NANOS / bytesPerSecond);
    }

    /**
     * Bytes vanish in this direction, and the sockets stay open: a one-way black hole. Should the sender close its side meanwhile,
     * the receiver hears of it when the fault is healed.
     */
    public Fault drop(Direction direction) {
        return inject(FaultKind.DROP, "drop " + direction, fault -> new DropRule(fault, Choice.all(direction)));
    }

    /** Matching messages vanish and all others pass. The third reply is {@code drop(anyReply().nth(3))}. */
    public Fault drop(Matching messages) {
        check(messages);
        return inject(FaultKind.DROP, "drop " + messages, fault -> new DropRule(fault, Choice.of(messages)));
    }

    /**
     * Bytes wait in this direction until the fault is healed, and are delivered then. When some megabytes wait, the sender is not
     * read any more.
     */
    public Fault hold(Direction direction) {
        return inject(FaultKind.HOLD, "hold " + direction, fault -> new HoldRule(fault, Choice.all(direction), false));
    }

    /**
     * A matching message waits until the fault is healed, and what follows it on its connection waits behind it. Requests are
     * delivered even if the client has gone meanwhile: the server's side stays open for them. They are lost when the server
     * closes its side, or when the connection is cut or reset here.
     */
    public Fault hold(Matching messages) {
        check(messages);
        return inject(FaultKind.HOLD, "hold " + messages, fault -> new HoldRule(fault, Choice.of(messages), false));
    }

    /**
     * A matching request waits as with {@link #hold(Matching)}, and its client's side of the connection is closed at once. When the
     * fault is healed the request arrives late, and nobody waits for its reply; {@link ProxiedConnection#awaitClosed} then tells
     * when the server is through with it.
     */
    public Fault holdAndCut(Matching requests) {
        checkRequest(requests);
        return inject(
                FaultKind.HOLD, "hold and cut at " + requests, fault -> new HoldRule(fault, Choice.of(requests), true));
    }

    /** A matching request reaches the server, its reply vanishes, and later replies pass. */
    public Fault swallowReply(Matching requests) {
        return loseReply(FaultKind.DROP, "swallow the reply to ", requests, LostReplyRule.Aftermath.GO_ON);
    }

    /** A matching request reaches the server; its reply and whatever the server sends after it vanish. The sockets stay open. */
    public Fault silenceBeforeReply(Matching requests) {
        return loseReply(FaultKind.DROP, "silence before the reply to ", requests, LostReplyRule.Aftermath.SILENCE);
    }

    /** A matching request reaches the server; when its reply starts to come, the connection is closed instead. */
    public Fault cutBeforeReply(Matching requests) {
        return loseReply(FaultKind.CUT, "cut before the reply to ", requests, LostReplyRule.Aftermath.CUT);
    }

    /**
     * A matching request is sent twice: as always, and at the same time on a connection of its own whose reply nobody hears.
     * Requests that log in are repeated there first, if the framing knows them; MySQL cannot be replayed, because its logins
     * cannot.
     */
    public Fault replay(Matching requests) {
        checkRequest(requests);
        return inject(
                FaultKind.REPLAY, "replay " + requests, fault -> new ReplayRule(fault, requests, replayOn(fault)));
    }

    /** Remembers matching requests, to send one again at a later moment. */
    public Recording record(Matching requests) {
        checkRequest(requests);
        Recording recording = new Recording(proxy());
        recording.start(inject(
                FaultKind.REPLAY, "record " + requests, fault -> new ReplayRule(fault, requests, recording::add)));
        return recording;
    }

    /** Hands on exactly so many more bytes of each connection in this direction, then resets the connection on both sides. */
    public Fault resetAfter(Direction direction, long bytes) {
        positive(bytes, "bytes");
        String words = "reset after " + bytes + " bytes " + direction;
        return inject(FaultKind.RESET, words, fault -> new ResetAfterRule(fault, direction, bytes));
    }

    /** Resets all that is open after a random time between these two, and again, until healed. */
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
                fault -> new StormRule(fault, loop(), () -> proxy().random().nextLong(from, to + 1), this::wires));
    }

    /** Ends what is open by RST on both sides; returns how many connections that were. */
    public int reset() {
        return now(FaultKind.RESET, Wire::reset);
    }

    /** Closes what is open on both sides; returns how many connections that were. Bytes on their way are lost. */
    public int cut() {
        return now(FaultKind.CUT, Wire::cut);
    }

    /**
     * Ends one direction: its receiver reads to the end, and what its sender still sends is lost. The other direction goes on.
     * Returns for how many connections.
     */
    public int halfClose(Direction direction) {
        return now(FaultKind.HALF_CLOSE, wire -> wire.flow(direction).end(Message.Ending.FIN));
    }

    abstract FaultProxy proxy();

    abstract List<Rule> ruleList();

    /** Those that are open now. */
    abstract List<Wire> wires();

    void count(FaultKind kind) {
        counter(kind).incrementAndGet();
    }

    private AtomicLong counter(FaultKind kind) {
        return Objects.requireNonNull(counts.get(kind));
    }

    private Loop loop() {
        return proxy().board().loop();
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
            proxy().wires().forEach(wire -> {
                wire.flow(Direction.TO_SERVER).flush();
                wire.flow(Direction.TO_CLIENT).flush();
            });
        });
    }

    private int now(FaultKind kind, Consumer<Wire> action) {
        return loop().call(() -> {
            List<Wire> open = wires();
            open.forEach(wire -> {
                action.accept(wire);
                wire.connection().count(kind);
            });
            return open.size();
        });
    }

    private Fault pace(String words, Direction direction, long bytes, long everyNanos) {
        return inject(FaultKind.PACE, words, fault -> new PaceRule(fault, loop(), direction, bytes, everyNanos));
    }

    private Fault loseReply(FaultKind kind, String words, Matching requests, LostReplyRule.Aftermath aftermath) {
        checkRequest(requests);
        return inject(kind, words + requests, fault -> new LostReplyRule(fault, requests, aftermath));
    }

    /** After the read that brought the request, for then all its messages are there. */
    private BiConsumer<ProxiedConnection, SentRequest> replayOn(Fault fault) {
        return (connection, request) -> loop().post(() -> {
            proxy().board().replay(request);
            fault.act(connection);
        });
    }

    private void check(Matching messages) {
        if (messages.role() == Matching.Role.PUSH && proxy().board().framing() == Framing.raw()) {
            throw new IllegalArgumentException(
                    "Raw framing cannot tell a push from a reply, so " + messages + " would never match");
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
