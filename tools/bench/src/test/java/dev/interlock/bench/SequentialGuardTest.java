package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequentialGuardTest {
    private final List<String> seen = new ArrayList<>();

    @Test
    void locksAreAcquiredInOrderAndReleasedInReverse() {
        new SequentialGuard(SequentialGuard.sorted(List.of("c", "a", "b")), this::lock).run(() -> seen.add("inside"));

        assertThat(seen).containsExactly("+a", "+b", "+c", "inside", "-c", "-b", "-a");
    }

    @Test
    void failedAcquireReleasesTheAcquiredLocks() {
        LockGuard guard = new SequentialGuard(List.of("a", "b", "busy", "c"), this::lock);

        assertThatThrownBy(() -> guard.run(() -> seen.add("inside"))).hasMessage("busy");
        assertThat(seen).containsExactly("+a", "+b", "-b", "-a");
    }

    @Test
    void failedReleaseDoesNotKeepOtherLocks() {
        LockGuard guard = new SequentialGuard(List.of("a", "lost", "b"), this::lock);

        assertThatThrownBy(() -> guard.run(() -> {})).hasMessage("lost");
        assertThat(seen).containsExactly("+a", "+lost", "+b", "-b", "-a");
    }

    private SequentialGuard.Single lock(String name) {
        return () -> {
            if (name.equals("busy")) {
                throw new IllegalStateException(name);
            }
            seen.add("+" + name);
            return () -> giveBack(name);
        };
    }

    private void giveBack(String name) {
        if (name.equals("lost")) {
            throw new IllegalStateException(name);
        }
        seen.add("-" + name);
    }
}
