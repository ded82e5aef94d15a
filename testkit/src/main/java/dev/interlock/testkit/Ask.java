package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Place;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One attempt of one process, to be sent once or again; each setting gives a changed copy with the same id.
 *
 * <p>The verbs send it and state what the answer must be.
 */
record Ask(StoreProcess process, Attempt attempt) {
    Ask leaseFor(Duration lease) {
        return claims(c -> new Claim(c.key(), c.mode(), c.permits(), c.capacity(), lease, c.lockDelay()));
    }

    Ask lockDelay(Duration lockDelay) {
        return claims(c -> new Claim(c.key(), c.mode(), c.permits(), c.capacity(), c.lease(), lockDelay));
    }

    Ask shared() {
        return claims(c -> new Claim(c.key(), LockMode.SHARED, 1, 1, c.lease(), c.lockDelay()));
    }

    Ask permits(int permits, int capacity) {
        return claims(c -> new Claim(c.key(), LockMode.PERMITS, permits, capacity, c.lease(), c.lockDelay()));
    }

    /** Queues at the first busy key. */
    Ask queueing() {
        return with(attempt.claims(), attempt.held(), true, attempt.tokenFloor(), attempt.heardWithin());
    }

    Ask heardWithin(Duration limit) {
        return with(attempt.claims(), attempt.held(), attempt.enqueue(), attempt.tokenFloor(), limit);
    }

    Ask above(long tokenFloor) {
        return with(attempt.claims(), attempt.held(), attempt.enqueue(), tokenFloor, attempt.heardWithin());
    }

    Ask holding(Renewal... held) {
        return with(attempt.claims(), List.of(held), attempt.enqueue(), attempt.tokenFloor(), attempt.heardWithin());
    }

    OwnerId id() {
        return attempt.id();
    }

    AttemptAnswer send() {
        return process.answer(process.store().attempt(attempt));
    }

    /** Sends it; every key must be had at once. */
    List<Granted> allGranted() {
        AttemptAnswer answer = send();
        assertThat(answer).isInstanceOf(AttemptAnswer.All.class);
        List<Granted> granted = ((AttemptAnswer.All) answer).granted();
        assertThat(granted)
                .extracting(one -> one.grant().key())
                .isEqualTo(attempt.claims().stream().map(Claim::key).toList());
        assertThat(granted).allSatisfy(one -> assertThat(one.grant().owner()).isEqualTo(id()));
        return granted;
    }

    /** Sends it; its only key must be had at once. */
    Granted granted() {
        return allGranted().get(0);
    }

    /** Sends it; it must wait, and has this prefix. */
    List<Granted> queued() {
        AttemptAnswer answer = send();
        assertThat(answer).isInstanceOf(AttemptAnswer.Queued.class);
        return ((AttemptAnswer.Queued) answer).granted();
    }

    /** Sends it; a key must be busy, and it has this prefix. */
    List<Granted> busy() {
        AttemptAnswer answer = send();
        assertThat(answer).isInstanceOf(AttemptAnswer.Busy.class);
        return ((AttemptAnswer.Busy) answer).granted();
    }

    /** The heartbeat at its last key. */
    WaitAnswer keepWaiting() {
        return process.keepWaiting(place()).get(0);
    }

    Place place() {
        return new Place(id(), attempt.claims().get(attempt.claims().size() - 1).key());
    }

    void stillWaits() {
        assertThat(keepWaiting()).isInstanceOf(WaitAnswer.Waiting.class);
    }

    /** The heartbeat must find that it was granted. */
    Granted won() {
        WaitAnswer answer = keepWaiting();
        assertThat(answer).isInstanceOf(WaitAnswer.Won.class);
        Granted granted = ((WaitAnswer.Won) answer).granted();
        assertThat(granted.grant().owner()).isEqualTo(id());
        assertThat(granted.grant().key()).isEqualTo(place().key());
        return granted;
    }

    /** Ends the wait on all its keys. */
    List<Granted> withdraw() {
        List<LockKey> keys = attempt.claims().stream().map(Claim::key).toList();
        return process.answer(process.store().withdraw(id(), keys));
    }

    private Ask claims(UnaryOperator<Claim> change) {
        List<Claim> changed = attempt.claims().stream().map(change).toList();
        return with(changed, attempt.held(), attempt.enqueue(), attempt.tokenFloor(), attempt.heardWithin());
    }

    private Ask with(List<Claim> claims, List<Renewal> held, boolean enqueue, long tokenFloor, Duration heardWithin) {
        Attempt changed =
                new Attempt(id(), claims, held, enqueue, tokenFloor, heardWithin, attempt.patience(), attempt.label());
        return new Ask(process, changed);
    }
}
