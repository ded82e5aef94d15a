package dev.interlock.testkit.workers;

import dev.interlock.testkit.history.Expectations;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The cases with paused and killed processes that every networked backend must pass. A backend extends it and
 * implements one method:
 *
 * <pre>{@code
 * class EtcdProcessTckTest extends ProcessTck {
 *     @Override protected WorkerSetup workers(String namespace) {
 *         return WorkerSetup.of(EtcdForWorkers.class, endpoint, namespace);
 *     }
 * }
 * }</pre>
 *
 * <p>Each case has a namespace and processes of its own, ends them, and prints the page of figures of its history. With
 * the system property {@code interlock.soak} the storm has ten times as many faults; {@code interlock.seed} repeats
 * one. Two kits of one run do not overlap, since they measure the time that processes take.
 *
 * @since 0.1.0
 */
@ResourceLock("dev.interlock.testkit.workers.ProcessTck")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
public abstract class ProcessTck {
    private static final int SOAK_FACTOR = 10;

    private final ProcessCase run = new ProcessCase(this);

    /** Returns how worker processes connect to the locks of this namespace. Namespaces share nothing. */
    protected abstract WorkerSetup workers(String namespace);

    /** The length of the leases. With less than three seconds, a busy machine looks like a fault. */
    protected Duration lease() {
        return Duration.ofSeconds(3);
    }

    /** The number of faults in the storm. */
    protected int stormFaults() {
        return Boolean.getBoolean("interlock.soak") ? SOAK_FACTOR * 4 : 4;
    }

    /** What the store promises; strict by default. Each case adds its bounds and faults. */
    protected Expectations promises() {
        return Expectations.strict();
    }

    @AfterEach
    void endTheCase() {
        run.close();
    }

    @Nested
    class Holders extends HolderCases {
        Holders() {
            super(ProcessTck.this.run);
        }
    }

    @Nested
    class StaleWrites extends StaleWriteCases {
        StaleWrites() {
            super(ProcessTck.this.run);
        }
    }

    @Nested
    class Deaths extends DeathCases {
        Deaths() {
            super(ProcessTck.this.run);
        }
    }

    @Nested
    class EndedWaits extends ProcessEndedWaitCases {
        EndedWaits() {
            super(ProcessTck.this.run);
        }
    }

    @Nested
    class Deadlocks extends ProcessDeadlockCases {
        Deadlocks() {
            super(ProcessTck.this.run);
        }
    }

    @Nested
    class Storm extends StormCases {
        Storm() {
            super(ProcessTck.this.run);
        }
    }
}
