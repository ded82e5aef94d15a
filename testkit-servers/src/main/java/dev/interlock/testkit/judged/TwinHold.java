package dev.interlock.testkit.judged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Verdict;
import java.util.function.Function;

/**
 * Somebody who holds a key of the fenced resource and one of its unfenced twin, has read both values and has not yet written.
 *
 * <pre>
 *   former   |== raise, read ==|.... the store forgets ....|  writeTooLate: refused; the twin takes it and loses an update
 *   next                            |== raise, read, write ==|
 * </pre>
 *
 * @param fenced the key of the fenced resource
 * @param control the key of its unfenced twin
 * @param base what was read at the one
 * @param controlBase what was read at the other
 */
public record TwinHold(JudgedClient.Held fenced, JudgedClient.Held control, long base, long controlBase) {
    /** Takes both keys in the same way, shows both tokens and reads both values. */
    public static TwinHold begin(LockKey key, LockKey unfencedKey, Function<LockKey, JudgedClient.Held> acquire) {
        return of(acquire.apply(key), acquire.apply(unfencedKey));
    }

    /** Shows both tokens and reads both values. */
    public static TwinHold of(JudgedClient.Held fenced, JudgedClient.Held control) {
        assertThat(fenced.raise()).as("raised").isTrue();
        assertThat(control.raise()).as("raised at the unfenced twin").isTrue();
        return new TwinHold(fenced, control, fenced.read(), control.read());
    }

    /** Writes both, as an owner may. */
    public void write() {
        assertThat(fenced.write(base)).as("write of the owner").isTrue();
        assertThat(control.write(controlBase))
                .as("write of the owner at the unfenced twin")
                .isTrue();
    }

    /** Writes both as a former owner: the fence refuses, the twin does not. */
    public void writeTooLate() {
        assertThat(fenced.write(base)).as("write of a former owner").isFalse();
        assertThat(control.write(controlBase))
                .as("write of a former owner at the unfenced twin")
                .isTrue();
    }

    /** Both tokens are larger than those. */
    public void assertNewerThan(TwinHold former) {
        assertThat(fenced.token()).as("token").isGreaterThan(former.fenced.token());
        assertThat(control.token()).as("token").isGreaterThan(former.control.token());
    }

    /** How both releases are answered. */
    public void release(ReleaseResult result) {
        assertThat(fenced.release()).isEqualTo(result);
        assertThat(control.release()).isEqualTo(result);
    }

    /** The fault bit: a former owner wrote, which the fence refused, and which cost an update where there is none. */
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
