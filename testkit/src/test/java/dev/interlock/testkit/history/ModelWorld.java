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

/** Virtual time, chance, and a network between processes and servers; one seed gives one run, always the same. */
final class ModelWorld {
    static final long MILLI = 1_000_000;

    /** What can go wrong on the way. */
    enum Trouble {
        DELAY,
        LOSS,
        CUT,
        DUPLICATE
    }

    private record Event(long at, long tie, Runnable what) {}

    final SplittableRandom random;
    final @Nullable PlantedBug bug;
    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> {
        int byTime = Long.compare(a.at(), b.at());
        return byTime != 0 ? byTime : Long.compare(a.tie(), b.tie());
    });
    private final Map<Trouble, Queue<Fault>> troubles = new EnumMap<>(Trouble.class);
    private long now = 1_000 * MILLI;
    private long values;

    ModelWorld(long seed, @Nullable PlantedBug bug) {
        this.random = new SplittableRandom(seed);
        this.bug = bug;
        for (Trouble trouble : Trouble.values()) {
            troubles.put(trouble, new ArrayDeque<>());
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

    long between(long least, long most) {
        return random.nextLong(least, most + 1);
    }

    long newValue() {
        return ++values;
    }

    void in(long delay, Runnable what) {
        events.add(new Event(now + Math.max(0, delay), random.nextLong(), what));
    }

    void runUntil(long until) {
        while (!events.isEmpty() && events.peek().at() <= until) {
            Event next = events.poll();
            now = next.at();
            next.what().run();
        }
        now = until;
    }

    void begin(Trouble trouble, Fault fault) {
        troubles.get(trouble).add(fault);
    }

    void end(Trouble trouble, Fault fault) {
        troubles.get(trouble).remove(fault);
        fault.stopped();
    }

    /** A request to a server and its answer back; each may be late, lost or doubled while there is trouble. */
    <T> void call(ModelProcess from, Supplier<Boolean> up, Supplier<T> request, Consumer<T> answered) {
        int copies = strikes(Trouble.DUPLICATE, 0.3) ? 2 : 1;
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
        return strikes(Trouble.CUT, 1) || strikes(Trouble.LOSS, 0.3);
    }

    private long delay(ModelProcess from) {
        return from.slowBy()
                + (strikes(Trouble.DELAY, 0.2)
                        ? between(10, 3 * ModelProcess.LEASE / MILLI) * MILLI
                        : between(200_000, 3 * MILLI));
    }

    private boolean strikes(Trouble trouble, double probability) {
        Fault fault = troubles.get(trouble).peek();
        if (fault == null || !chance(probability)) {
            return false;
        }
        fault.acted();
        return true;
    }
}
