package dev.interlock.internal.lock;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockSettings;
import org.junit.jupiter.api.Test;

class ResolvedSettingsTest {
    private static ResolvedSettings of(LockSettings settings) {
        return ResolvedSettings.resolve(settings, LockSettings.inherit());
    }

    @Test
    void defaultsAreComplete() {
        ResolvedSettings settings = of(LockSettings.inherit());

        assertThat(settings.waitAtMostNanos()).isEqualTo(ofSeconds(5).toNanos());
        assertThat(settings.leaseFor()).isEqualTo(ofSeconds(30));
        assertThat(settings.leaseNanos()).isEqualTo(ofSeconds(30).toNanos());
        assertThat(settings.renewEveryNanos()).isEqualTo(ofSeconds(10).toNanos());
        assertThat(settings.holdAtMostNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(settings.lockDelay()).isZero();
    }

    @Test
    void fixedLeaseHasNoRenewalInterval() {
        ResolvedSettings settings = of(LockSettings.inherit().renew(false));

        assertThat(settings.renews()).isFalse();
        assertThat(settings.renewEveryNanos()).isZero();
    }

    @Test
    void ownSettingsOverrideDefaults() {
        ResolvedSettings settings = ResolvedSettings.resolve(
                LockSettings.inherit().leaseFor(ofSeconds(6)),
                LockSettings.inherit().leaseFor(ofSeconds(9)).waitAtMost(ofSeconds(1)));

        assertThat(settings.leaseFor()).isEqualTo(ofSeconds(6));
        assertThat(settings.waitAtMostNanos()).isEqualTo(ofSeconds(1).toNanos());
    }

    @Test
    void renewalIntervalIsAtMostHalfOfTheLease() {
        ResolvedSettings settings =
                of(LockSettings.inherit().leaseFor(ofSeconds(10)).renewEvery(ofSeconds(5)));

        assertThat(settings.renewEveryNanos()).isEqualTo(ofSeconds(5).toNanos());
    }

    @Test
    void maximumHoldMayEqualTheLease() {
        ResolvedSettings settings =
                of(LockSettings.inherit().leaseFor(ofSeconds(10)).holdAtMost(ofSeconds(10)));

        assertThat(settings.holdAtMostNanos()).isEqualTo(ofSeconds(10).toNanos());
    }

    @Test
    void renewedLeaseFitsIntoHalfAndFixedLeaseNeedsAll() {
        ResolvedSettings renewed = of(LockSettings.inherit().leaseFor(ofSeconds(10)));
        ResolvedSettings fixed =
                of(LockSettings.inherit().leaseFor(ofSeconds(10)).renew(false));
        long half = ofSeconds(5).toNanos();

        assertThat(renewed.fitsInto(half)).isTrue();
        assertThat(renewed.fitsInto(half - 1)).isFalse();
        assertThat(fixed.fitsInto(2 * half)).isTrue();
        assertThat(fixed.fitsInto(2 * half - 1)).isFalse();
    }
}
