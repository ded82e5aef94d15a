package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;

/**
 * How long a suite runs.
 *
 * @param warmUps turns per contender that do not count, before the rounds; twice as many while the JIT compiler is busy
 * @param rounds the number of rounds; each contender has one turn per round
 * @param turn the length of a turn; workloads of a fixed size ignore it
 * @param total the time limit of the whole suite, if it has one. Each workload gets its share: a quarter of it for more
 *     warm-up turns, the rest for as many rounds as fit
 */
public record Schedule(int warmUps, int rounds, Duration turn, Optional<Duration> total) {
    private static final Duration MAX_TURN = Duration.ofMinutes(10);

    /** A quick suite ends within ninety seconds, from the start of its process until everything is closed. */
    public static final Duration QUICK_TIME = Duration.ofSeconds(79);

    /**
     * For published results. The suite {@code memory} takes about four minutes, and its scaling runs take the same
     * again.
     */
    public static final Schedule FULL = new Schedule(4, 9, Duration.ofMillis(1500));

    /** For a quick look, and to notice regressions. */
    public static final Schedule QUICK = new Schedule(3, 5, Duration.ofMillis(250)).within(QUICK_TIME);

    /** Without a time limit. */
    public Schedule(int warmUps, int rounds, Duration turn) {
        this(warmUps, rounds, turn, Optional.empty());
    }

    /** Rejects schedules that would never end or measure nothing. */
    public Schedule {
        if (warmUps < 0 || warmUps > 1000) {
            throw new IllegalArgumentException("the number of warm-ups is " + warmUps + ": choose 0 to 1000");
        }
        if (rounds < 1 || rounds > 1000) {
            throw new IllegalArgumentException("rounds are " + rounds + ": choose 1 to 1000");
        }
        if (turn.compareTo(Duration.ofMillis(1)) < 0 || turn.compareTo(MAX_TURN) > 0) {
            throw new IllegalArgumentException("a turn is " + turn + ": choose PT0.001S to " + MAX_TURN);
        }
    }

    /** This schedule with a time limit. */
    public Schedule within(Duration all) {
        return new Schedule(warmUps, rounds, turn, Optional.of(all));
    }

    /**
     * This schedule for a part of the suite. It gets that part of the time limit, minus the time since this process
     * started.
     */
    public Schedule leftFor(double part) {
        long spent = ManagementFactory.getRuntimeMXBean().getUptime();
        return new Schedule(
                warmUps,
                rounds,
                turn,
                total.map(all -> Duration.ofMillis(Math.round(Math.max(0, all.toMillis() - spent) * part))));
    }

    /** A short description. */
    String sentence() {
        String seconds = FigureFormat.show(turn.toNanos() / 1e9);
        return total.isEmpty()
                ? rounds + " rounds of " + seconds + " s"
                : "Turns of " + seconds + " s, as many rounds as time permitted";
    }

    /** This schedule with exactly this many rounds, and at most as many warm-ups. */
    public Schedule withRounds(int newRounds) {
        return new Schedule(Math.min(warmUps, Math.max(newRounds, 0)), newRounds, turn);
    }

    /** This schedule with turns of another length. */
    public Schedule withTurn(Duration newTurn) {
        return new Schedule(warmUps, rounds, newTurn, total);
    }
}
