package dev.interlock.testkit;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WorldOutageTest {
    private static final Duration LEASE = ofSeconds(30);

    @RegisterExtension
    final InterlockWorld world = new InterlockWorld();

    private final LockKey key = LockKey.of("stock", "sku-1");
    private final List<LossReason> reasons = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(Outage.class)
    void shorterThanTheLeaseLosesNothing(Outage kind) {
        try (Lease lease = world.locks().acquire(key)) {
            lease.onLost(reasons::add);
            world.outage(kind, ofSeconds(20));
            world.advance(ofSeconds(19));
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.remaining()).as("no renewal was confirmed").isLessThan(ofSeconds(11));

            world.advance(ofSeconds(10));
            assertThat(lease.remaining()).as("renewals continue").isGreaterThan(ofSeconds(15));
            world.advance(ofMinutes(2));
            assertThat(reasons).isEmpty();
        }
        assertThat(world.inspect(key)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void longerThanTheLeaseIsReportedAtTheDeadline(Outage kind) {
        try (Lease lease = world.locks().acquire(key)) {
            lease.onLost(reasons::add);
            Duration remaining = lease.remaining();
            world.outage(kind);
            world.advance(remaining.minusNanos(1));
            assertThat(reasons).isEmpty();
            world.advance(Duration.ofNanos(1));
            assertThat(reasons).containsExactly(LossReason.STORE_UNREACHABLE);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Outage.class,
            names = {"REFUSED", "SILENT"})
    void storeThatReceivesNothingGivesTheLockToAnotherProcess(Outage kind) {
        try (Lease lease = world.locks().acquire(key)) {
            world.outage(kind);
            world.advance(LEASE.minusMillis(1));
            assertThat(world.inspect(key)).isPresent();
            world.advance(ofSeconds(1));
            assertThat(world.inspect(key)).isEmpty();
            assertThat(world.busy(key).token().isNewerThan(lease.token())).isTrue();
        }
    }

    @Test
    void renewalsAreExecutedIfOnlyAnswersAreLost() {
        try (Lease lease = world.locks().acquire(key)) {
            world.outage(Outage.ANSWERS_LOST);
            world.advance(ofSeconds(25));
            assertThat(lease.remaining()).isLessThan(ofSeconds(5));
            assertThat(world.inspect(key).orElseThrow().holders().get(0).endsIn())
                    .isGreaterThan(ofSeconds(20));
        }
    }

    @Test
    void refusedConnectionIsReportedAtOnce() {
        world.outage(Outage.REFUSED);
        long before = world.clock().nanos();
        assertThatThrownBy(() -> world.locks().acquire(key)).isInstanceOf(StoreUnavailableException.class);
        assertThat(world.clock().nanos()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(
            value = Outage.class,
            names = {"SILENT", "ANSWERS_LOST"})
    void unknownIsReportedWithinThePatienceAndNeverAsBusy(Outage kind) {
        world.outage(kind);
        long before = world.clock().nanos();
        assertThatThrownBy(() -> world.locks().acquire(key)).isInstanceOf(StoreUnavailableException.class);
        assertThat(Duration.ofNanos(world.clock().nanos() - before)).isBetween(ofMillis(1), ofSeconds(5));
        assertThatThrownBy(() -> world.locks().tryAcquire(key)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void busyIsNeverReportedAsUnreachable() {
        world.busy(key);
        assertThat(world.locks().tryAcquire(key)).isEmpty();
        assertThatThrownBy(() -> world.locks().acquire(key)).isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void acquisitionSurvivesAnOutageThatIsShorterThanItsPatience() {
        world.outage(Outage.SILENT, ofSeconds(3));
        try (Lease lease = world.locks().with(key).waitAtMost(ofSeconds(10)).acquire()) {
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void grantWhoseAnswerWasLostIsFoundAndNotDuplicated() {
        world.outage(Outage.ANSWERS_LOST, ofMillis(100));
        try (Lease lease = world.locks().acquire(key)) {
            assertThat(lease.token().grant())
                    .as("the first grant of this world")
                    .isEqualTo(1);
            assertThat(world.inspect(key).orElseThrow().holders()).hasSize(1);
        }
    }

    @Test
    void waiterIsGrantedAfterAnOutageThatDroppedThePush() {
        Lease held = world.busy(key);
        StartedCall<Duration> call = world.start(() -> {
            long before = world.clock().nanos();
            try (Lease lease = world.locks().with(key).waitAtMost(ofSeconds(20)).acquire()) {
                return Duration.ofNanos(world.clock().nanos() - before);
            }
        });
        world.outage(Outage.REFUSED, ofSeconds(3));
        held.close();
        world.advance(ofSeconds(2));
        assertThat(call.isDone()).isFalse();
        world.advance(ofSeconds(4));
        assertThat(call.isDone()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Outage.class)
    void releaseInAnOutageIsUnknownAndIsRepeatedAfterwards(Outage kind) {
        Lease lease = world.locks().acquire(key);
        world.outage(kind, ofSeconds(3));
        assertThat(lease.release()).isEqualTo(ReleaseResult.UNKNOWN);
        world.advance(ofSeconds(6));
        assertThat(world.inspect(key)).isEmpty();
    }

    @Test
    void otherProcessesReachTheStore() {
        world.outage(Outage.SILENT);
        try (Lease lease = world.another("other").locks().acquire(key)) {
            world.advance(LEASE.multipliedBy(2));
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void healEndsAnOutageWithoutALength() {
        world.outage(Outage.REFUSED);
        assertThatThrownBy(() -> world.locks().tryAcquire(key)).isInstanceOf(StoreUnavailableException.class);
        world.heal();
        world.locks().run(key, lease -> assertThat(lease.isHeld()).isTrue());
    }
}
