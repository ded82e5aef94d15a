package dev.interlock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many clients on one thread with all kinds of faults, see {@link Simulation}. A failure prints its seed. Repeat it
 * alone with {@code -Dinterlock.seed=N}, and run more seeds with {@code -Dinterlock.seeds=N}.
 */
@Tag("slow")
class LockSimulationTest {
    private static final int FEW_SEEDS = 1_000;
    private static final int SEEDS = 20_000;
    private static final int SOAK_SEEDS = 200_000;

    @Test
    void invariantsHoldForEverySeed() {
        check(FEW_SEEDS);
    }

    @Test
    @Tag("full")
    void invariantsHoldForManySeeds() {
        check(Boolean.getBoolean("interlock.soak") ? SOAK_SEEDS : SEEDS);
    }

    private static void check(int count) {
        Long only = Long.getLong("interlock.seed");
        if (only != null) {
            Simulation.Outcome outcome = Simulation.run(only, true);
            assertThat(outcome.violations())
                    .as("seed %d%n%s", only, outcome.trace())
                    .isEmpty();
            return;
        }
        int seeds = Integer.getInteger("interlock.seeds", count);
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        LongAdder grants = new LongAdder();
        LongAdder passes = new LongAdder();
        LongAdder losses = new LongAdder();
        LongAdder refusals = new LongAdder();
        LongAdder events = new LongAdder();
        LongStream.rangeClosed(1, seeds).parallel().forEach(seed -> {
            Simulation.Outcome outcome = Simulation.run(seed, false);
            if (!outcome.violations().isEmpty()) {
                broken.add("Seed %d broke an invariant; repeat it with -Dinterlock.seed=%d%n%s"
                        .formatted(seed, seed, String.join("\n", outcome.violations())));
            }
            grants.add(outcome.grants());
            passes.add(outcome.passes());
            losses.add(outcome.losses());
            refusals.add(outcome.refusals());
            events.add(outcome.events());
        });
        assertThat(broken).isEmpty();
        System.getLogger("simulation")
                .log(
                        System.Logger.Level.INFO,
                        "{0} seeds, {1} events, {2} leases ({3} passed locally), {4} lost, {5} refusals, 0 violations",
                        seeds,
                        events.sum(),
                        grants.sum(),
                        passes.sum(),
                        losses.sum(),
                        refusals.sum());
        // A simulation in which nothing happens proves nothing.
        assertThat(passes.sum()).isPositive();
        assertThat(losses.sum()).isPositive();
        assertThat(refusals.sum()).isPositive();
        assertThat(grants.sum()).isGreaterThan(seeds);
    }
}
