package dev.interlock.testkit;

import dev.interlock.Interlock;
import dev.interlock.internal.runtime.Parking;
import dev.interlock.lock.LeakTracing;
import dev.interlock.lock.LockListener;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Backend;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** One process of a world: its Interlock, its time and its connection to the store. */
final class WorldProcess {
    /**
     * In real time. The in-memory store answers before the engine starts to wait. A later answer cannot arrive because
     * the clock is stopped.
     */
    private static final Duration RELEASE_WITHIN = Duration.ofMillis(1);

    /** What all processes of a world share. */
    record SharedParts(
            FakeClock clock,
            Backend store,
            Parking parking,
            Map<Long, LossReason> taken,
            Consumer<Interlock.Builder> options) {}

    final String name;
    final ProcessTime time;
    final ScriptedConnection connection;
    final Interlock interlock;

    WorldProcess(String name, SharedParts shared, LockListener listener) {
        this.name = name;
        this.time = new ProcessTime(shared.clock(), shared.parking());
        this.connection = new ScriptedConnection(time.whenRunning(Runnable::run));
        Interlock.Builder builder = Interlock.builder(new ScriptedBackend(shared.store(), connection, shared.taken()))
                .releaseWithin(RELEASE_WITHIN)
                .leakTracing(LeakTracing.ALWAYS);
        shared.options().accept(builder);
        this.interlock = builder.name(name).environment(time).listener(listener).build();
    }

    /** Restores the connection and resumes the process. */
    void recover() {
        connection.restore();
        time.resume();
    }
}
