package dev.interlock.lock;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An invalid duration is refused with a message that says what to change, before any call to the store. */
class BadDurationsTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();
    private final Locks locks = world.locks();

    @AfterEach
    void nothingWasAcquired() {
        assertThat(world.wire.calls(Op.ATTEMPT)).isZero();
        assertThat(world.ours.operator().list("", Optional.empty(), 10).locks()).isEmpty();
        world.close();
    }

    private static void refused(ThrowingCallable call, String... sentence) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(sentence);
    }

    private static void refusedNull(ThrowingCallable call, String... sentence) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessageContainingAll(sentence);
    }

    static List<Duration> absurd() {
        return List.of(ofNanos(-1), ofSeconds(-5), ofDays(10_000), Duration.ofSeconds(Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("absurd")
    void negativeOrExcessiveDurationIsRefused(Duration bad) {
        LockRequest<Lease> request = locks.with(KEY);
        refused(() -> request.waitAtMost(bad), "waitAtMost is " + bad, "choose a duration between");
        refused(() -> request.leaseFor(bad), "leaseFor is " + bad, "choose a duration between");
        refused(() -> request.renewEvery(bad), "renewEvery is " + bad, "choose a duration between");
        refused(() -> request.holdAtMost(bad), "holdAtMost is " + bad, "choose a duration between");
        refused(() -> request.lockDelay(bad), "lockDelay is " + bad, "choose a duration between");
        refused(() -> request.tryAcquire(bad), "waitAtMost is " + bad);
        refused(() -> request.tryRun(bad, lease -> {}), "waitAtMost is " + bad);
    }

    @Test
    void zeroIsRefusedWhereItHasNoMeaning() {
        refused(() -> locks.with(KEY).leaseFor(ZERO), "leaseFor is PT0S", "PT0.02S");
        refused(() -> locks.with(KEY).renewEvery(ZERO), "renewEvery is PT0S");
        refused(() -> locks.with(KEY).holdAtMost(ZERO), "holdAtMost is PT0S");
    }

    @Test
    void boundsThemselvesAreAccepted() {
        LockSettings.inherit()
                .waitAtMost(ZERO)
                .waitAtMost(ofDays(1))
                .leaseFor(ofMillis(20))
                .leaseFor(ofDays(1))
                .renewEvery(ofMillis(5))
                .holdAtMost(ofDays(30))
                .lockDelay(ZERO)
                .lockDelay(ofSeconds(60));
        refused(() -> LockSettings.inherit().leaseFor(ofMillis(20).minusNanos(1)), "PT0.02S");
        refused(() -> LockSettings.inherit().waitAtMost(ofDays(1).plusNanos(1)), "PT24H");
        refused(() -> LockSettings.inherit().lockDelay(ofSeconds(60).plusNanos(1)), "PT1M");
    }

    @Test
    void nullIsRefused() {
        refusedNull(() -> locks.with(KEY).waitAtMost(null), "waitAtMost is null: give a Duration");
        refusedNull(() -> locks.with(KEY).leaseFor(null), "leaseFor is null: give a Duration");
        refusedNull(() -> locks.tryAcquire(KEY, null), "waitAtMost is null");
    }

    @Test
    void fewerThanTwoRenewalsPerLeaseAreRefused() {
        refused(
                () -> locks.with(KEY)
                        .leaseFor(ofSeconds(10))
                        .renewEvery(ofMillis(5_001))
                        .acquire(),
                "renewEvery is PT5.001S",
                "more than half of leaseFor PT10S",
                "renew more often or take a longer lease");
    }

    @Test
    void maximumHoldShorterThanTheLeaseIsRefused() {
        refused(
                () -> locks.with(KEY)
                        .leaseFor(ofSeconds(10))
                        .holdAtMost(ofSeconds(9))
                        .acquireAsync(),
                "holdAtMost is PT9S",
                "shorter than leaseFor PT10S",
                "shorten the lease, or allow a longer hold");
    }

    @Test
    void limitsOfTheBuilderAreChecked() {
        Interlock.Builder builder = Interlock.builder(InMemoryBackend.create());
        for (Duration bad : List.of(ZERO, ofNanos(-1), ofSeconds(301))) {
            refused(() -> builder.answerWithin(bad), "answerWithin is", "choose a duration between");
            refused(() -> builder.releaseWithin(bad), "releaseWithin is", "choose a duration between");
        }
        refused(
                () -> builder.defaults(
                        LockSettings.inherit().leaseFor(ofSeconds(1)).holdAtMost(ofMillis(500))),
                "holdAtMost");
        refusedNull(() -> Interlock.over(null), "backend is null", "InMemoryBackend.create()");
    }

    @Test
    void typeWhoseSettingsContradictTheDefaultsIsRefusedWhenBuilding() {
        LockOrder order = LockOrder.of(
                List.of(LockType.of("job").with(LockSettings.inherit().holdAtMost(ofSeconds(10)))));

        refused(
                () -> Interlock.builder(InMemoryBackend.create()).order(order).build(),
                "holdAtMost is PT10S",
                "leaseFor PT30S");
    }
}
