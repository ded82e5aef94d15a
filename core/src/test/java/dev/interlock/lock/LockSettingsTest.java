package dev.interlock.lock;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LockSettingsTest {
    @Test
    void standardIsFiveSecondsPatienceAndThirtySecondsLeaseWithRenewal() {
        LockSettings standard = LockSettings.standard();

        assertThat(standard.waitAtMost()).isEqualTo(ofSeconds(5));
        assertThat(standard.leaseFor()).isEqualTo(ofSeconds(30));
        assertThat(standard.renew()).isTrue();
        assertThat(standard.renewEvery()).isNull();
        assertThat(standard.holdAtMost()).isNull();
        assertThat(standard.lockDelay()).isEqualTo(ZERO);
    }

    @Test
    void unsetSettingsComeFromTheNextLevel() {
        LockSettings own = LockSettings.inherit().waitAtMost(ofSeconds(1));
        LockSettings base = LockSettings.standard()
                .waitAtMost(ofSeconds(9))
                .leaseFor(ofSeconds(60))
                .renewEvery(ofSeconds(7))
                .holdAtMost(ofMinutes(10))
                .lockDelay(ofSeconds(3));

        LockSettings merged = own.orElse(base);

        assertThat(merged.waitAtMost()).isEqualTo(ofSeconds(1));
        assertThat(merged.leaseFor()).isEqualTo(ofSeconds(60));
        assertThat(merged.renewEvery()).isEqualTo(ofSeconds(7));
        assertThat(merged.holdAtMost()).isEqualTo(ofMinutes(10));
        assertThat(merged.lockDelay()).isEqualTo(ofSeconds(3));
    }

    @Test
    void leaseLengthDoesNotTurnRenewalOff() {
        assertThat(LockSettings.inherit()
                        .leaseFor(ofSeconds(60))
                        .orElse(LockSettings.standard())
                        .renew())
                .isTrue();
    }

    @Test
    void intervalOfTheNextLevelOnlyAppliesToTheLeaseOfThatLevel() {
        LockSettings base = LockSettings.standard().leaseFor(ofSeconds(60)).renewEvery(ofSeconds(20));

        assertThat(LockSettings.inherit().leaseFor(ofSeconds(10)).orElse(base).renewEvery())
                .isNull();
    }

    @Test
    void intervalTurnsRenewalOn() {
        assertThat(LockSettings.inherit().renew(false).renewEvery(ofSeconds(1)).renew())
                .isTrue();
    }

    @Test
    void setterReturnsANewObject() {
        LockSettings before = LockSettings.standard();
        LockSettings after = before.leaseFor(ofSeconds(1));

        assertThat(before.leaseFor()).isEqualTo(ofSeconds(30));
        assertThat(after.toString()).contains("leaseFor=PT1S", "waitAtMost=PT5S");
    }
}
