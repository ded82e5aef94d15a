package dev.interlock.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockMode;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StoreCapabilitiesTest {
    private static final StoreCapabilities ALL = StoreCapabilities.builder()
            .tokens(StoreCapabilities.Tokens.STRICT)
            .ownership(StoreCapabilities.Ownership.SESSION)
            .multiKey(StoreCapabilities.MultiKey.ATOMIC)
            .queue(StoreCapabilities.Queue.SERVER)
            .push(StoreCapabilities.Push.GRANTS)
            .modes(EnumSet.allOf(LockMode.class))
            .lockDelay(true)
            .granularity(Duration.ofSeconds(1))
            .introspection(true)
            .forcedRelease(true)
            .waitReports(true)
            .build();

    @Test
    void defaultsPromiseTheLeast() {
        StoreCapabilities defaults = StoreCapabilities.builder().build();

        assertThat(defaults.tokens()).isEqualTo(StoreCapabilities.Tokens.PROCESS);
        assertThat(defaults.ownership()).isEqualTo(StoreCapabilities.Ownership.PER_GRANT);
        assertThat(defaults.multiKey()).isEqualTo(StoreCapabilities.MultiKey.ONE_BY_ONE);
        assertThat(defaults.queue()).isEqualTo(StoreCapabilities.Queue.NONE);
        assertThat(defaults.push()).isEqualTo(StoreCapabilities.Push.NONE);
        assertThat(defaults.modes()).containsExactly(LockMode.EXCLUSIVE);
        assertThat(defaults.lockDelay()).isFalse();
        assertThat(defaults.granularity()).isZero();
        assertThat(defaults.introspection()).isFalse();
        assertThat(defaults.forcedRelease()).isFalse();
        assertThat(defaults.waitReports()).isFalse();
    }

    @Test
    void eachSetterSetsItsOwnCapability() {
        assertThat(ALL)
                .hasToString("StoreCapabilities[tokens=STRICT, ownership=SESSION, multiKey=ATOMIC, queue=SERVER,"
                        + " push=GRANTS, modes=[EXCLUSIVE, SHARED, PERMITS], lockDelay=true, granularity=PT1S,"
                        + " introspection=true, forcedRelease=true, waitReports=true]");
    }

    @Test
    void toBuilderKeepsEveryCapability() {
        assertThat(ALL.toBuilder().build()).usingRecursiveComparison().isEqualTo(ALL);
        assertThat(ALL.toBuilder().waitReports(false).build().waitReports()).isFalse();
    }

    @Test
    void modesAreCopied() {
        Set<LockMode> modes = new HashSet<>(Set.of(LockMode.SHARED));
        StoreCapabilities capabilities =
                StoreCapabilities.builder().modes(modes).build();
        modes.add(LockMode.PERMITS);

        assertThat(capabilities.modes()).containsExactly(LockMode.SHARED);
        assertThatThrownBy(() -> capabilities.modes().add(LockMode.PERMITS))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void impossibleValuesAreRefused() {
        StoreCapabilities.Builder builder = StoreCapabilities.builder();

        assertThatThrownBy(() -> builder.modes(Set.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("modes is empty");
        assertThatThrownBy(() -> builder.granularity(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT-0.001S");
    }
}
