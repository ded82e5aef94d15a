package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Granted;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One attempt of one process. It can be sent several times. Each setter returns a modified copy with the same id.
 *
 * <p>The methods that send it also assert the expected answer.
 */
record TckAttempt(StoreProcess process, Attempt attempt) {
    TckAttempt leaseFor(Duration lease) {
        return claims(c -> new Claim(c.key(), c.mode(), c.permits(), c.capacity(), lease, c.lockDelay()));
    }

    TckAttempt lockDelay(Duration lockDelay) {
        return claims(c -> new Claim(c.key(), c.mode(), c.permits(), c.capacity(), c.lease(), lockDelay));
    }

    TckAttempt shared() {
        return claims(c -> new Claim(c.key(), LockMode.SHARED, 1, 1, c.lease(), c.lockDelay()));
    }

    TckAttempt permits(int permits, int capacity) {
        return claims(c -> new Claim(c.key(), LockMode.PERMITS, permits, capacity, c.lease(), c.lockDelay()));
    }

    /** Enqueues the attempt at the first busy key. */
    TckAttempt queueing() {
        return with(attempt.claims(), attempt.held(), true, attempt.tokenFloor(), attempt.heartbeatWithin());
    }

    TckAttempt heartbeatWithin(Duration limit) {
        return with(attempt.claims(), attempt.held(), attempt.enqueue(), attempt.tokenFloor(), limit);
    }

    TckAttempt above(long tokenFloor) {
        return with(attempt.claims(), attempt.held(), attempt.enqueue(), tokenFloor, attempt.heartbeatWithin());
    }

    TckAttempt holding(Renewal... held) {
        return with(
                attempt.claims(), List.of(held), attempt.enqueue(), attempt.tokenFloor(), attempt.heartbeatWithin());
    }

    OwnerId id() {
        return attempt.id();
    }

    AttemptAnswer send() {
        return process.answer(process.store().attempt(attempt, 0));
    }

    /** Sends it and asserts that every key was granted at once. */
    List<Granted> allGranted() {
        AttemptAnswer answer = send();
        assertThat(answer).as("answer to %s: every key is granted", this).isInstanceOf(AttemptAnswer.All.class);
        List<Granted> granted = ((AttemptAnswer.All) answer).granted();
        assertThat(granted)
                .extracting(one -> one.grant().key())
                .isEqualTo(attempt.claims().stream().map(Claim::key).toList());
        assertThat(granted).allSatisfy(one -> assertThat(one.grant().owner()).isEqualTo(id()));
        return granted;
    }

    /** Sends it and asserts that its only key was granted at once. */
    Granted granted() {
        return allGranted().get(0);
    }

    /** Sends it, asserts that it was queued, and returns the keys that were granted before the busy one. */
    List<Granted> queued() {
        AttemptAnswer answer = send();
        assertThat(answer).as("answer to %s: it is queued", this).isInstanceOf(AttemptAnswer.Queued.class);
        return ((AttemptAnswer.Queued) answer).granted();
    }

    /** Sends it, asserts that a key was busy, and returns the keys that were granted before the busy one. */
    List<Granted> busy() {
        AttemptAnswer answer = send();
        assertThat(answer).as("answer to %s: a key is busy", this).isInstanceOf(AttemptAnswer.Busy.class);
        return ((AttemptAnswer.Busy) answer).granted();
    }

    /** Sends the heartbeat for its last key. */
    WaitAnswer keepWaiting() {
        return process.keepWaiting(place()).get(0);
    }

    PlaceId place() {
        return new PlaceId(
                id(), attempt.claims().get(attempt.claims().size() - 1).key());
    }

    void stillWaits() {
        assertThat(keepWaiting()).as("heartbeat of %s: it still waits", this).isInstanceOf(WaitAnswer.Waiting.class);
    }

    /** Sends the heartbeat and asserts that the attempt was granted. */
    Granted won() {
        WaitAnswer answer = keepWaiting();
        assertThat(answer).as("heartbeat of %s: it was granted", this).isInstanceOf(WaitAnswer.Won.class);
        Granted granted = ((WaitAnswer.Won) answer).granted();
        assertThat(granted.grant().owner()).as("owner of the grant").isEqualTo(id());
        assertThat(granted.grant().key()).as("key of the grant").isEqualTo(place().key());
        return granted;
    }

    /** Ends the wait for all its keys. */
    List<Granted> withdraw() {
        List<LockKey> keys = attempt.claims().stream().map(Claim::key).toList();
        return process.answer(process.store().withdraw(id(), keys));
    }

    private TckAttempt claims(UnaryOperator<Claim> change) {
        List<Claim> changed = attempt.claims().stream().map(change).toList();
        return with(changed, attempt.held(), attempt.enqueue(), attempt.tokenFloor(), attempt.heartbeatWithin());
    }

    private TckAttempt with(
            List<Claim> claims, List<Renewal> held, boolean enqueue, long tokenFloor, Duration heartbeatWithin) {
        Attempt changed = new Attempt(
                id(), claims, held, enqueue, tokenFloor, heartbeatWithin, attempt.patience(), attempt.label());
        return new TckAttempt(process, changed);
    }
}
