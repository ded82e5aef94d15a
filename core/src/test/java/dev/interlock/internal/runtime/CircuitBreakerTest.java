package dev.interlock.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private final CircuitBreaker breaker = new CircuitBreaker();
    private long now = Long.MAX_VALUE - 1_000_000; // nanoTime may overflow

    private void advance(long millis) {
        now += Duration.ofMillis(millis).toNanos();
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            breaker.unanswered(now);
        }
    }

    @Test
    void opensAfterFiveFailuresInARow() {
        fail(4);
        assertThat(breaker.isOpen()).isFalse();
        assertThat(breaker.admits(now)).isTrue();

        fail(1);

        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.admits(now)).isFalse();
    }

    @Test
    void anyAnswerResetsTheCount() {
        fail(4);
        breaker.answered();
        fail(4);

        assertThat(breaker.admits(now)).isTrue();
    }

    @Test
    void admitsOneTrialCallAfterAPause() {
        fail(5);
        advance(499);
        assertThat(breaker.admits(now)).isFalse();
        advance(1);

        assertThat(breaker.admits(now)).isTrue();
        assertThat(breaker.admits(now)).as("only one").isFalse();
    }

    @Test
    void closesWhenTheTrialCallIsAnswered() {
        fail(5);
        advance(500);
        assertThat(breaker.admits(now)).isTrue();

        breaker.answered();

        assertThat(breaker.isOpen()).isFalse();
        assertThat(breaker.admits(now)).isTrue();
    }

    @Test
    void staysOpenTwiceAsLongEachTimeUpToFiveSeconds() {
        fail(5);
        for (long open : new long[] {500, 1_000, 2_000, 4_000, 5_000, 5_000}) {
            advance(open - 1);
            assertThat(breaker.admits(now)).isFalse();
            advance(1);
            assertThat(breaker.admits(now)).isTrue();
            breaker.unanswered(now);
        }
    }

    @Test
    void failuresDoNotExtendAnOpenCircuit() {
        fail(50);
        advance(500);

        assertThat(breaker.admits(now)).isTrue();
    }

    @Test
    void admitsAnotherTrialCallIfTheFirstHasNoOutcome() {
        fail(5);
        advance(500);
        assertThat(breaker.admits(now)).isTrue();
        advance(499);
        assertThat(breaker.admits(now)).isFalse();
        advance(1);

        assertThat(breaker.admits(now)).isTrue();
    }

    @Test
    void lateAnswerClosesAnOpenCircuit() {
        fail(5);

        breaker.answered();

        assertThat(breaker.admits(now)).isTrue();
    }
}
