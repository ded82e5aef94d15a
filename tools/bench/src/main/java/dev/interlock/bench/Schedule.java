package dev.interlock.bench;

import java.time.Duration;

/**
 * How long a suite runs.
 *
 * @param warmUps turns of each contender that do not count, before the rounds; twice as many while the compiler is busy
 * @param rounds rounds, in which each contender has one turn
 * @param turn how long a contender runs in a round; workloads of a fixed size ignore it
 */
public record Schedule(int warmUps, int rounds, Duration turn) {
    private static final Duration LONGEST_TURN = Duration.ofMinutes(10);

    /** For figures to be published: about four minutes for the suite memory, as long again for its growths. */
    public static final Schedule FULL = new Schedule(4, 9, Duration.ofMillis(1500));

    /** For a look, and for noticing that something became slow: about a minute. */
    public static final Schedule QUICK = new Schedule(3, 5, Duration.ofMillis(250));

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

    /** With another number of rounds, and not more turns to warm up than that. */
    public Schedule withRounds(int newRounds) {
        return new Schedule(Math.min(warmUps, Math.max(newRounds, 0)), newRounds, turn);
    }

    /**
     * As much time in more and shorter turns: who is compared has its turns closer to each other, and what disturbs one of them weighs less. Not for
     * workloads in which it takes time until every thread is under way.
     */
    Schedule finer(int times) {
        return new Schedule(warmUps * times, rounds * times, turn.dividedBy(times));
    }

    /** With turns of another length. */
    public Schedule withTurn(Duration newTurn) {
        return new Schedule(warmUps, rounds, newTurn);
    }
}
