package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lease that becomes unreachable without being closed is reported and no longer renewed. */
class LeakGuardTest {
    private static final LockKey KEY = LockKey.of("leaky", "1");

    private final List<LockEvent.Leaked> leaks = new CopyOnWriteArrayList<>();
    private TwoProcesses world = world(LeakTracing.ALWAYS);

    @AfterEach
    void close() {
        world.close();
    }

    private TwoProcesses world(LeakTracing tracing) {
        return TwoProcesses.with(options -> options.leakTracing(tracing).listener(event -> {
            if (event instanceof LockEvent.Leaked leaked) {
                leaks.add(leaked);
            }
        }));
    }

    private void dropLease(LockKey key) {
        assertThat(world.locks().tryAcquire(key)).isPresent();
    }

    private void collectUntilReported(int reports) {
        await().pollInterval(ofMillis(10)).atMost(ofSeconds(10)).until(() -> {
            System.gc();
            world.advance(1_000);
            return leaks.size() >= reports;
        });
    }

    @Test
    void droppedLeaseIsReportedWithItsStackTrace() {
        dropLease(KEY);

        collectUntilReported(1);

        assertThat(leaks.get(0).keys()).containsExactly(KEY);
        assertThat(leaks.get(0).type()).isEqualTo("leaky");
        assertThat(leaks.get(0).acquiredAt())
                .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("dropLease"))
                .allSatisfy(frame -> assertThat(frame.getClassName()).doesNotContain("internal"));
    }

    @Test
    void droppedLeaseIsNoLongerRenewedAndEndsByItself() {
        dropLease(KEY);
        collectUntilReported(1);
        int renewals = world.wire.calls(Op.RENEW);

        world.advance(31_000);

        assertThat(world.wire.calls(Op.RENEW)).isEqualTo(renewals);
        assertThat(world.others().tryAcquire(KEY)).isPresent();
    }

    @Test
    void closedLeaseIsNotReported() {
        world.locks().acquire(KEY).close();
        dropLease(LockKey.of("other"));

        collectUntilReported(1);

        assertThat(leaks).extracting(LockEvent::type).containsExactly("other");
    }

    @Test
    void futureOfTheLossKeepsTheLeaseAlive() {
        CompletionStage<LossReason> loss = world.locks().acquire(KEY).lost();
        assertThat(world.locks().tryAcquire(LockKey.of("other"))).isPresent();
        collectUntilReported(1);

        assertThat(leaks).extracting(LockEvent::type).containsExactly("other");
        world.advance(60_000);
        assertThat(world.others().tryAcquire(KEY)).isEmpty();
        world.wire.listener().sessionLost(LossReason.SESSION_LOST);
        assertThat(result(loss)).isEqualTo(LossReason.SESSION_LOST);
    }

    @Test
    void leaseThatIsStillReachableIsNotReported() {
        List<Lease> kept = new ArrayList<>(List.of(world.locks().acquire(KEY)));
        dropLease(LockKey.of("other"));
        collectUntilReported(1);

        assertThat(leaks).extracting(LockEvent::type).containsExactly("other");
        assertThat(kept.get(0).isHeld()).isTrue();
    }

    @Test
    void withoutTracingALeakIsReportedWithoutAStackTrace() {
        world.close();
        world = world(LeakTracing.OFF);
        dropLease(KEY);

        collectUntilReported(1);

        assertThat(leaks.get(0).acquiredAt()).isEmpty();
    }

    @Test
    void afterTheFirstLeakOfATypeEveryStackTraceIsRecorded() {
        world.close();
        world = world(LeakTracing.SAMPLED);
        dropLease(KEY);
        collectUntilReported(1);
        assertThat(leaks.get(0).acquiredAt()).isEmpty();

        dropLease(LockKey.of("leaky", "2"));
        collectUntilReported(2);

        assertThat(leaks.get(1).acquiredAt())
                .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("dropLease"));
    }
}
