package dev.interlock.testkit.history;

import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Virtual time, randomness, and a network between processes and servers. One seed always gives the same run. */
final class ModelWorld {
    static final long MILLI = 1_000_000;

    /** The faults of the network. */
    enum NetworkFault {
        DELAY,
        LOSS,
        CUT,
        DUPLICATE
    }

    private record Event(long at, long tie, Runnable action) {}

    final SplittableRandom random;
    final @Nullable PlantedBug bug;
    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> {
        int byTime = Long.compare(a.at(), b.at());
        return byTime != 0 ? byTime : Long.compare(a.tie(), b.tie());
    });
    private final Map<NetworkFault, Queue<RecordedFault>> faults = new EnumMap<>(NetworkFault.class);
    private long now = 1_000 * MILLI;
    private long values;

    ModelWorld(long seed, @Nullable PlantedBug bug) {
        this.random = new SplittableRandom(seed);
        this.bug = bug;
        for (NetworkFault kind : NetworkFault.values()) {
            faults.put(kind, new ArrayDeque<>());
        }
    }

    long now() {
        return now;
    }

    boolean has(PlantedBug planted) {
        return bug == planted;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    long between(long min, long max) {
        return random.nextLong(min, max + 1);
    }

    long newValue() {
        return ++values;
    }

    void in(long delay, Runnable action) {
        events.add(new Event(now + Math.max(0, delay), random.nextLong(), action));
    }

    void runUntil(long until) {
        while (!events.isEmpty() && events.peek().at() <= until) {
            Event next = events.poll();
            now = next.at();
            next.action().run();
        }
        now = until;
    }

    void begin(NetworkFault kind, RecordedFault fault) {
        faults.get(kind).add(fault);
    }

    void end(NetworkFault kind, RecordedFault fault) {
        faults.get(kind).remove(fault);
        fault.stopped();
    }

    /**
     * Sends a request to a server and its answer back. Each may be late, lost or duplicated during a network fault.
     */
    <T> void call(ModelProcess from, Supplier<Boolean> up, Supplier<T> request, Consumer<T> answered) {
        int copies = strikes(NetworkFault.DUPLICATE, 0.3) ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            if (isLost()) {
                continue;
            }
            in(delay(from), () -> {
                if (up.get()) {
                    T answer = request.get();
                    if (!isLost()) {
                        in(delay(from), () -> from.run(() -> answered.accept(answer)));
                    }
                }
            });
        }
    }

    private boolean isLost() {
        return strikes(NetworkFault.CUT, 1) || strikes(NetworkFault.LOSS, 0.3);
    }

    private long delay(ModelProcess from) {
        return from.slowBy()
                + (strikes(NetworkFault.DELAY, 0.2)
                        ? between(10, 3 * ModelProcess.LEASE / MILLI) * MILLI
                        : between(200_000, 3 * MILLI));
    }

    private boolean strikes(NetworkFault kind, double probability) {
        RecordedFault fault = faults.get(kind).peek();
        if (fault == null || !chance(probability)) {
            return false;
        }
        fault.acted();
        return true;
    }
}
