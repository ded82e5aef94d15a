package dev.interlock.testkit;

import dev.interlock.Interlock;
import dev.interlock.internal.time.Parking;
import dev.interlock.lock.LeakTracing;
import dev.interlock.lock.LockListener;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Backend;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** One process of a world: its Interlock, its time and its line to the store. */
final class WorldProcess {
    /**
     * Real time. The in-memory store answers before it is waited for; an answer that is not there then will not come, since
     * the clock stands.
     */
    private static final Duration RELEASE_WITHIN = Duration.ofMillis(1);

    /** What all processes of a world share. */
    record Ground(
            FakeClock clock,
            Backend store,
            Parking parking,
            Map<Long, LossReason> taken,
            Consumer<Interlock.Builder> options) {}

    final String name;
    final ProcessTime time;
    final Line line;
    final Interlock interlock;

    WorldProcess(String name, Ground ground, LockListener listener) {
        this.name = name;
        this.time = new ProcessTime(ground.clock(), ground.parking());
        this.line = new Line(time.whenAwake(Runnable::run));
        Interlock.Builder builder = Interlock.builder(new LineBackend(ground.store(), line, ground.taken()))
                .releaseWithin(RELEASE_WITHIN)
                .leakTracing(LeakTracing.ALWAYS);
        ground.options().accept(builder);
        this.interlock =
                builder.name(name).surroundings(time).listener(listener).build();
    }

    /** The line is whole and the process goes on. */
    void recover() {
        line.mend();
        time.goOn();
    }
}
