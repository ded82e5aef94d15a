package dev.interlock.testkit.checked;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Verdict;
import java.util.function.Function;

/**
 * A holder of one key of the fenced resource and one key of its unfenced twin. It has read both values and has not
 * written yet.
 *
 * <pre>
 *   former   |== raise, read ==|.... lock lost ....|  writeTooLate: rejected; the twin accepts it and loses an update
 *   next                          |== raise, read, write ==|
 * </pre>
 *
 * @param fenced the lease on the key of the fenced resource
 * @param control the lease on the key of the unfenced twin
 * @param base the value read from the fenced resource
 * @param controlBase the value read from the unfenced twin
 * @since 0.1.0
 */
public record TwinHold(CheckedClient.Held fenced, CheckedClient.Held control, long base, long controlBase) {
    /** Acquires both keys in the same way, shows both tokens and reads both values. */
    public static TwinHold begin(LockKey key, LockKey unfencedKey, Function<LockKey, CheckedClient.Held> acquire) {
        return of(acquire.apply(key), acquire.apply(unfencedKey));
    }

    /** Shows both tokens and reads both values. */
    public static TwinHold of(CheckedClient.Held fenced, CheckedClient.Held control) {
        assertThat(fenced.raise()).as("raised").isTrue();
        assertThat(control.raise()).as("raised at the unfenced twin").isTrue();
        return new TwinHold(fenced, control, fenced.read(), control.read());
    }

    /** Writes both values as the current holder. */
    public void write() {
        assertThat(fenced.write(base)).as("write of the holder").isTrue();
        assertThat(control.write(controlBase))
                .as("write of the holder at the unfenced twin")
                .isTrue();
    }

    /** Writes both values as a former holder: the fence rejects the write, the twin accepts it. */
    public void writeTooLate() {
        assertThat(fenced.write(base)).as("write of a former holder").isFalse();
        assertThat(control.write(controlBase))
                .as("write of a former holder at the unfenced twin")
                .isTrue();
    }

    /** Asserts that both tokens are larger than those of the former holder. */
    public void assertNewerThan(TwinHold former) {
        assertThat(fenced.token()).as("token").isGreaterThan(former.fenced.token());
        assertThat(control.token()).as("token").isGreaterThan(former.control.token());
    }

    /** Releases both leases and asserts the result. */
    public void release(ReleaseResult result) {
        assertThat(fenced.release()).isEqualTo(result);
        assertThat(control.release()).isEqualTo(result);
    }

    /**
     * Asserts that the fault had an effect: a former holder wrote, the fence rejected the write, and the unfenced twin
     * lost an update.
     */
    public static void assertBitten(Verdict verdict) {
        assertThat(verdict.figure(Figure.STALE_REFUSED)).as("stale refused").isPositive();
        assertThat(verdict.figure(Figure.CONTROL_STALE_ACCEPTED))
                .as("stale accepted by the unfenced twin")
                .isPositive();
        assertThat(verdict.figure(Figure.CONTROL_LOST_UPDATES))
                .as("lost updates at the unfenced twin")
                .isPositive();
    }
}
