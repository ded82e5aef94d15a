package dev.interlock.redis;

import dev.interlock.spi.StoreException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster: one {@link Link} per primary, and a table that says which slot is where.
 *
 * <p>Redirects are followed here and not by the driver: a script that lands on another server must find that server's counter
 * raised. A slot that is being moved answers "try again" until it has arrived; that is tried for a second.
 */
final class ClusterServers implements Servers {
    private static final int MOST_REDIRECTS = 5;
    private static final int MOST_MOVING_TRIES = 40;
    private static final long MOVING_PAUSE_MILLIS = 25;

    private final List<RedisURI> seeds;
    private final RedisKeys keys;
    private final Connector connector;
    private final Seen seen;
    private final EventExecutor timer;
    private final long silenceNanos;
    private final Map<String, Link> links = new ConcurrentHashMap<>();
    private final Map<String, Link> reserved = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> refreshing = new AtomicReference<>();
    private final AtomicInteger turn = new AtomicInteger();
    private volatile String[] owners = new String[SlotHash.SLOT_COUNT];
    private volatile boolean closed;

    ClusterServers(
            List<RedisURI> seeds,
            RedisKeys keys,
            Connector connector,
            Seen seen,
            EventExecutor timer,
            long silenceNanos) {
        this.seeds = List.copyOf(seeds);
        this.keys = keys;
        this.connector = connector;
        this.seen = seen;
        this.timer = timer;
        this.silenceNanos = silenceNanos;
    }

    @Override
    public <T> CompletableFuture<T> call(int slot, Call call, Function<? super Object, ? extends T> parse) {
        return call(slot, call, MOST_REDIRECTS, MOST_MOVING_TRIES).thenApply(parse);
    }

    @Override
    public <T> CompletableFuture<T> call(int slot, Supplier<Call> late, Function<? super Object, ? extends T> parse) {
        return call(slot, late.get(), parse);
    }

    private CompletableFuture<Object> call(int slot, Call call, int redirects, int movingTries) {
        return wire(slot)
                .thenCompose(wire -> send(wire, slot, call).exceptionallyCompose(error -> {
                    String code = Failures.code(error);
                    if (redirects > 0 && code.equals("MOVED")) {
                        return refresh().thenCompose(done -> call(slot, call, redirects - 1, movingTries));
                    }
                    if (redirects > 0 && code.equals("ASK")) {
                        return ask(target(error), call)
                                .exceptionallyCompose(again -> again(slot, call, redirects, movingTries, again));
                    }
                    return again(slot, call, redirects, movingTries, failed(wire, error));
                }));
    }

    private CompletableFuture<Object> again(int slot, Call call, int redirects, int movingTries, Throwable error) {
        if (movingTries == 0 || !Failures.code(error).equals("TRYAGAIN")) {
            return CompletableFuture.failedFuture(Failures.afterSending("The cluster", error));
        }
        CompletableFuture<Object> later = new CompletableFuture<>();
        timer.schedule(
                () -> call(slot, call, redirects, movingTries - 1).whenComplete((reply, failure) -> {
                    if (failure != null) {
                        later.completeExceptionally(failure);
                    } else {
                        later.complete(reply);
                    }
                }),
                MOVING_PAUSE_MILLIS,
                TimeUnit.MILLISECONDS);
        return later;
    }

    private CompletableFuture<Object> send(Wire wire, int slot, Call call) {
        if (!wire.isRaised(slot)) {
            // Goes first over the same connection, so the call finds the counter raised.
            wire.call(Connector.raising(keys, slot, wire.quarantineMillis()), reply -> reply, error -> error)
                    .thenAccept(reply -> {
                        seen.raise(slot, Reply.number(Reply.list(reply).get(0)));
                        wire.raised(slot);
                    });
        }
        return wire.call(call, reply -> reply, error -> error);
    }

    private CompletableFuture<Object> ask(String target, Call call) {
        return link(target).wire().thenCompose(wire -> wire.callAsking(call));
    }

    private static String target(Throwable error) {
        String message = String.valueOf(Failures.cause(error).getMessage());
        return message.substring(message.lastIndexOf(' ') + 1);
    }

    private Throwable failed(Wire wire, Throwable error) {
        if (Failures.isDemoted(error)) {
            link(wire.server()).ended(wire);
        }
        if (!Failures.code(error).equals("TRYAGAIN")) {
            refresh();
        }
        return error;
    }

    @Override
    public CompletableFuture<Wire> wire(int slot) {
        String owner = owners[slot];
        if (owner == null) {
            return refresh().thenCompose(done -> {
                String found = owners[slot];
                return found == null
                        ? CompletableFuture.failedFuture(
                                StoreException.notSent("No server of the cluster has slot " + slot, null))
                        : link(found).wire();
            });
        }
        Link link = link(owner);
        Wire open = link.open();
        if (open != null) {
            return CompletableFuture.completedFuture(open);
        }
        CompletableFuture<Wire> wire = link.wire();
        if (wire.isCompletedExceptionally()) {
            // It may have been replaced; the next call shall find out.
            refresh();
        }
        return wire;
    }

    private Link link(String address) {
        return links.computeIfAbsent(address, this::newLink);
    }

    private Link newLink(String address) {
        RedisURI uri = uri(address);
        AtomicReference<@Nullable ServerFacts> last = new AtomicReference<>();
        Link link = new Link(
                address,
                self -> connector.connect(uri, address, last, slotsOf(address), self::ended),
                timer,
                silenceNanos);
        if (closed) {
            link.close();
        }
        return link;
    }

    private RedisURI uri(String address) {
        int colon = address.lastIndexOf(':');
        RedisURI uri = RedisURI.builder(seeds.get(0)).build();
        uri.setHost(address.substring(0, colon));
        uri.setPort(Integer.parseInt(address.substring(colon + 1)));
        return uri;
    }

    private IntStream slotsOf(String address) {
        String[] now = owners;
        return IntStream.range(0, now.length).filter(slot -> address.equals(now[slot]));
    }

    /** Reads the table anew from the first server that tells it; one reader at a time. */
    CompletableFuture<Void> refresh() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> running = refreshing.compareAndExchange(null, mine);
        if (running != null) {
            return running;
        }
        List<String> candidates = new ArrayList<>(links.keySet());
        for (RedisURI seed : seeds) {
            candidates.add(seed.getHost() + ':' + seed.getPort());
        }
        // Those that are connected know best.
        candidates.sort((a, b) -> Boolean.compare(isUp(b), isUp(a)));
        readFrom(candidates, 0).whenComplete((done, error) -> {
            refreshing.set(null);
            if (error != null) {
                mine.completeExceptionally(Failures.connecting("the cluster", error));
            } else {
                mine.complete(null);
            }
        });
        return mine;
    }

    private boolean isUp(String address) {
        Link link = links.get(address);
        return link != null && link.open() != null;
    }

    private CompletableFuture<Void> readFrom(List<String> candidates, int index) {
        String address = candidates.get(index);
        return link(address)
                .wire()
                .thenCompose(wire -> wire.send(new AsyncCommand<>(new Command<>(
                        CommandType.CLUSTER, new Reply(), new CommandArgs<>(StringCodec.UTF8).add("SLOTS")))))
                .thenAccept(reply -> owners = table(Reply.list(reply), address))
                .exceptionallyCompose(error -> index + 1 < candidates.size()
                        ? readFrom(candidates, index + 1)
                        : CompletableFuture.failedFuture(error));
    }

    private static String[] table(List<?> ranges, String told) {
        String[] table = new String[SlotHash.SLOT_COUNT];
        for (Object range : ranges) {
            List<?> parts = Reply.list(range);
            List<?> primary = Reply.list(parts.get(2));
            Object host = primary.get(0);
            // A server that does not know its own name means: the one you reached me by.
            String name = host == null || host.equals("") ? told.substring(0, told.lastIndexOf(':')) : Reply.text(host);
            String address = name + ':' + Reply.number(primary.get(1));
            for (long slot = Reply.number(parts.get(0)); slot <= Reply.number(parts.get(1)); slot++) {
                table[(int) slot] = address;
            }
        }
        return table;
    }

    @Override
    public CompletableFuture<Wire> reserved(int slot) {
        return wire(slot)
                .thenCompose(wire ->
                        reserved.computeIfAbsent(wire.server(), this::newLink).wire());
    }

    @Override
    public CompletableFuture<List<Wire>> all() {
        return refresh().thenCompose(done -> {
            List<CompletableFuture<Wire>> wires = Arrays.stream(owners)
                    .filter(Objects::nonNull)
                    .distinct()
                    .map(owner -> link(owner).wire())
                    .toList();
            return CompletableFuture.allOf(wires.toArray(CompletableFuture[]::new))
                    .thenApply(
                            all -> wires.stream().map(CompletableFuture::join).toList());
        });
    }

    @Override
    public RedisURI listenAt() {
        List<String> up = links.keySet().stream().filter(this::isUp).sorted().toList();
        int next = Math.floorMod(turn.getAndIncrement(), Integer.MAX_VALUE);
        return up.isEmpty() ? seeds.get(next % seeds.size()) : uri(up.get(next % up.size()));
    }

    @Override
    public boolean isAlone() {
        return false;
    }

    @Override
    public CompletableFuture<Void> close() {
        closed = true;
        return CompletableFuture.allOf(Stream.concat(links.values().stream(), reserved.values().stream())
                .map(Link::close)
                .toArray(CompletableFuture<?>[]::new));
    }
}
