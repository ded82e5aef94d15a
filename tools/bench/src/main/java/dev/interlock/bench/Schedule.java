package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;

/**
 * How long a suite runs.
 *
 * @param warmUps turns of each contender that do not count, before the rounds; twice as many while the compiler is busy
 * @param rounds rounds, in which each contender has one turn
 * @param turn how long a contender runs in a round; workloads of a fixed size ignore it
 * @param total how long the whole suite may take, if that is limited. Each workload has its share of it, a quarter of which is for more turns to warm up
 *     and the rest for more rounds, as many as there is time for
 */
public record Schedule(int warmUps, int rounds, Duration turn, Optional<Duration> total) {
    private static final Duration LONGEST_TURN = Duration.ofMinutes(10);

    /** A quick suite is over within ninety seconds, from the start of its process until everything is closed. */
    public static final Duration QUICK_TIME = Duration.ofSeconds(79);

    /** For figures to be published: about four minutes for the suite memory, as long again for its growths. */
    public static final Schedule FULL = new Schedule(4, 9, Duration.ofMillis(1500));

    /** For a look, and for noticing that something became slow. */
    public static final Schedule QUICK = new Schedule(3, 5, Duration.ofMillis(250)).within(QUICK_TIME);

    /** Without a limit for the whole suite. */
    public Schedule(int warmUps, int rounds, Duration turn) {
        this(warmUps, rounds, turn, Optional.empty());
    }

    /** Refuses what would never end or measure nothing. */
    public Schedule {
        if (warmUps < 0 || warmUps > 1000) {
            throw new IllegalArgumentException("warm-ups are " + warmUps + ": choose 0 to 1000");
        }
        if (rounds < 1 || rounds > 1000) {
            throw new IllegalArgumentException("rounds are " + rounds + ": choose 1 to 1000");
        }
        if (turn.compareTo(Duration.ofMillis(1)) < 0 || turn.compareTo(LONGEST_TURN) > 0) {
            throw new IllegalArgumentException("a turn is " + turn + ": choose PT0.001S to " + LONGEST_TURN);
        }
    }

    /** The same within a time for all. */
    public Schedule within(Duration all) {
        return new Schedule(warmUps, rounds, turn, Optional.of(all));
    }

    /** The same for a part of the suite, which has that part of the time that is left of the total since this process began. */
    public Schedule leftFor(double part) {
        long spent = ManagementFactory.getRuntimeMXBean().getUptime();
        return new Schedule(
                warmUps,
                rounds,
                turn,
                total.map(all -> Duration.ofMillis(Math.round(Math.max(0, all.toMillis() - spent) * part))));
    }

    /** In words. */
    String sentence() {
        String seconds = Figures.show(turn.toNanos() / 1e9);
        return total.isEmpty()
                ? rounds + " rounds of " + seconds + " s"
                : "Turns of " + seconds + " s, as many rounds as there was time for";
    }

    /** With another number of rounds, just these, and not more turns to warm up than that. */
    public Schedule withRounds(int newRounds) {
        return new Schedule(Math.min(warmUps, Math.max(newRounds, 0)), newRounds, turn);
    }

    /** With turns of another length. */
    public Schedule withTurn(Duration newTurn) {
        return new Schedule(warmUps, rounds, newTurn, total);
    }
}
