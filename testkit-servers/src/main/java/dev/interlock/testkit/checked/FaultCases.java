package dev.interlock.testkit.checked;

import dev.interlock.testkit.workers.WorkerSetup;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/** Cases of one kind of fault. Each case has a run of its own on a store that they share. */
abstract class FaultCases {
    private final FaultTck kit;
    private final FaultTck.Disturbance disturbance;
    private @Nullable FaultTarget target;
    private @Nullable FaultRun run;

    FaultCases(FaultTck kit, FaultTck.Disturbance disturbance) {
        this.kit = kit;
        this.disturbance = disturbance;
    }

    @BeforeEach
    void skipWithoutTarget() {
        Optional<FaultTarget> found = kit.target(disturbance);
        if (found.isEmpty()) {
            Assumptions.abort("capability: needs a store whose "
                    + disturbance.name().toLowerCase(Locale.ROOT) + " can be disturbed, which "
                    + kit.getClass().getSimpleName() + " does not have");
        }
        target = found.get();
    }

    FaultTck kit() {
        return kit;
    }

    /** The run of this case; it begins with the first call. */
    FaultRun run() {
        FaultRun current = run;
        if (current == null) {
            current = new FaultRun(target());
            run = current;
        }
        return current;
    }

    /** Begins the run of this case with worker processes that are set up differently. */
    FaultRun begin(UnaryOperator<WorkerSetup> workers) {
        FaultTarget chosen = target();
        FaultRun begun = new FaultRun(chosen, chosen.framing(), workers);
        run = begun;
        return begun;
    }

    FaultTarget target() {
        if (target == null) {
            throw new IllegalStateException("The case has not begun");
        }
        return target;
    }

    @AfterEach
    void end() {
        if (run != null) {
            run.close();
        }
    }
}
