package dev.interlock.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** S15: two names with the same hash are one lock in PostgreSQL. They exclude each other, without other effects. */
@Tag("server")
class CollisionTest {
    private static final LockKey ONE = LockKey.of("one");
    private static final LockKey TWO = LockKey.of("two");

    private static String url = "";

    private OneProcess process;
    private OneProcess other;

    @BeforeEach
    void open() throws Exception {
        if (url.isEmpty()) {
            url = Kind.POSTGRESQL.freshDatabase();
        }
        process = colliding();
        other = colliding();
    }

    private static OneProcess colliding() {
        return new OneProcess(AdvisoryLockBackend.builder(url).hash(key -> 4711).build());
    }

    @AfterEach
    void close() {
        process.close();
        other.close();
    }

    /** The database would grant the session its own lock again, so it must not be asked. */
    @Test
    void namesExcludeEachOtherWithinASession() {
        Granted one = process.take(ONE);
        assertThat(process.send(process.attempt(TWO))).isInstanceOfSatisfying(AttemptAnswer.Busy.class, busy -> {
            assertThat(busy.obstacle().key()).isEqualTo(TWO);
            assertThat(busy.obstacle().holder()).isEmpty();
        });
        assertThat(process.release(one.grant())).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(process.take(TWO).grant().number()).isGreaterThan(one.grant().number());
    }

    @Test
    void namesExcludeEachOtherBetweenSessions() {
        Granted one = process.take(ONE);
        assertThat(other.isBusy(other.attempt(TWO))).isTrue();
        process.release(one.grant());
        other.take(TWO);
        assertThat(process.isBusy(process.attempt(ONE))).isTrue();
    }

    @Test
    void sharedHoldersOfBothNamesCoexistAndTheLastOneReleasesTheLock() {
        Granted one = process.take(process.attempt(LockMode.SHARED, ONE));
        Granted two = process.take(process.attempt(LockMode.SHARED, TWO));
        assertThat(two.grant().number()).isGreaterThan(one.grant().number());
        other.take(other.attempt(LockMode.SHARED, ONE));
        assertThat(process.release(one.grant())).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(process.release(two.grant())).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(process.isBusy(process.attempt(ONE))).isTrue();
    }

    /** A set with both names can never be granted. It is answered as busy, and its first key can be released. */
    @Test
    void setWithBothNamesIsBusyAtTheSecond() {
        assertThat(process.send(process.attempt(ONE, TWO))).isInstanceOfSatisfying(AttemptAnswer.Busy.class, busy -> {
            assertThat(busy.obstacle().key()).isEqualTo(TWO);
            assertThat(OneProcess.answer(process.store.release(
                            busy.granted().stream().map(Granted::grant).toList(), 0)))
                    .isEqualTo(List.of(ReleaseAnswer.RELEASED));
        });
        other.take(TWO);
    }

    @Test
    void releaseOfOneNameDoesNotAffectTheOther() {
        Granted one = process.take(ONE);
        assertThat(process.withdraw(process.attempt(TWO))).isEmpty();
        assertThat(process.release(
                        new Grant(TWO, one.grant().owner(), one.grant().number())))
                .isEqualTo(ReleaseAnswer.NOT_HELD);
        assertThat(other.isBusy(other.attempt(ONE))).isTrue();
    }
}
