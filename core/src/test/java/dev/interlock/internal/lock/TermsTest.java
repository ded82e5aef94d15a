package dev.interlock.internal.lock;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockSettings;
import org.junit.jupiter.api.Test;

class TermsTest {
    private static Terms of(LockSettings settings) {
        return Terms.resolve(settings, LockSettings.inherit());
    }

    @Test
    void nothingIsLeftOpen() {
        Terms terms = of(LockSettings.inherit());

        assertThat(terms.waitAtMostNanos()).isEqualTo(ofSeconds(5).toNanos());
        assertThat(terms.leaseFor()).isEqualTo(ofSeconds(30));
        assertThat(terms.leaseNanos()).isEqualTo(ofSeconds(30).toNanos());
        assertThat(terms.renewEveryNanos()).isEqualTo(ofSeconds(10).toNanos());
        assertThat(terms.holdAtMostNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(terms.lockDelay()).isZero();
    }

    @Test
    void fixedLeaseHasNoInterval() {
        Terms terms = of(LockSettings.inherit().renew(false));

        assertThat(terms.renews()).isFalse();
        assertThat(terms.renewEveryNanos()).isZero();
    }

    @Test
    void ownSettingsComeBeforeInheritedOnes() {
        Terms terms = Terms.resolve(
                LockSettings.inherit().leaseFor(ofSeconds(6)),
                LockSettings.inherit().leaseFor(ofSeconds(9)).waitAtMost(ofSeconds(1)));

        assertThat(terms.leaseFor()).isEqualTo(ofSeconds(6));
        assertThat(terms.waitAtMostNanos()).isEqualTo(ofSeconds(1).toNanos());
    }

    @Test
    void halfOfTheLeaseIsTheLongestInterval() {
        Terms terms = of(LockSettings.inherit().leaseFor(ofSeconds(10)).renewEvery(ofSeconds(5)));

        assertThat(terms.renewEveryNanos()).isEqualTo(ofSeconds(5).toNanos());
    }

    @Test
    void maximumHoldOfExactlyTheLeaseIsFine() {
        Terms terms = of(LockSettings.inherit().leaseFor(ofSeconds(10)).holdAtMost(ofSeconds(10)));

        assertThat(terms.holdAtMostNanos()).isEqualTo(ofSeconds(10).toNanos());
    }

    @Test
    void renewedLeaseFitsIntoHalfOfItAndAFixedOneNeedsAll() {
        Terms renewed = of(LockSettings.inherit().leaseFor(ofSeconds(10)));
        Terms fixed = of(LockSettings.inherit().leaseFor(ofSeconds(10)).renew(false));
        long half = ofSeconds(5).toNanos();

        assertThat(renewed.fitsInto(half)).isTrue();
        assertThat(renewed.fitsInto(half - 1)).isFalse();
        assertThat(fixed.fitsInto(2 * half)).isTrue();
        assertThat(fixed.fitsInto(2 * half - 1)).isFalse();
    }
}
