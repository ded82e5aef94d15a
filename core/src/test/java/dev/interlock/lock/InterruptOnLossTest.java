package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.support.Blocked;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Only a loss interrupts the thread of the holder. */
class InterruptOnLossTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();
    private final Locks locks = world.locks();

    @AfterEach
    void close() {
        world.close();
    }

    private void lose() {
        world.wire.listener().sessionLost(LossReason.SESSION_LOST);
    }

    @Test
    void lossInterruptsTheThreadThatAcquired() {
        Blocked<Boolean> holder = Blocked.in(() -> {
            try (Lease lease = locks.with(KEY).interruptOnLoss().acquire()) {
                new CountDownLatch(1).await();
                return lease.isHeld();
            } catch (InterruptedException e) {
                return !Thread.currentThread().isInterrupted();
            }
        });

        lose();

        assertThat(holder.result()).isTrue();
    }

    @Test
    void interruptThatWasNotConsumedIsClearedByClose() {
        Lease lease = locks.with(KEY).interruptOnLoss().acquire();
        lose();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();

        lease.close();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void lossAfterCloseInterruptsNothing() {
        Lease lease = locks.with(KEY).interruptOnLoss().acquire();
        PendingLease<Lease> next = locks.acquireAsync(KEY);
        lease.close();

        lose();

        assertThat(result(next).isHeld()).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void asynchronousRequestRefusesTheOption() {
        assertThatThrownBy(() -> locks.with(KEY).interruptOnLoss().acquireAsync())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use onLost or lost()");
        assertThat(world.wire.calls(Op.ATTEMPT)).isZero();
    }
}
