package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.PERMITS;
import static dev.interlock.testkit.Capability.QUEUE;
import static dev.interlock.testkit.Capability.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.PendingLease;
import dev.interlock.spi.AttemptAnswer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Readers share, writers exclude, and permits stay within their capacity, in one Interlock and across two. */
abstract class SharingCases {
    private static final int THREADS = 16;

    private final TckCase tck;

    SharingCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("shared");
    }

    private LockRequest<Lease> request(Interlock interlock) {
        return interlock.locks().with(key()).waitAtMost(TckCase.LONG);
    }

    @Test
    @Requires(SHARED)
    void readersHoldTogether() {
        Interlock one = tck.interlock();
        Interlock other = tck.interlock();
        Lease first =
                tck.outcome("the first reader is granted", request(one).shared().acquireAsync());
        Lease second =
                tck.outcome("a second reader is granted", request(one).shared().acquireAsync());
        Lease third = tck.outcome(
                "a reader of another process is granted",
                request(other).shared().acquireAsync());
        assertThat(first.mode()).isEqualTo(LockMode.SHARED);
        assertThat(first.isHeld() && second.isHeld() && third.isHeld())
                .as("all readers hold the lock")
                .isTrue();
        assertThat(request(other).tryAcquire()).as("a writer beside readers").isEmpty();
    }

    @Test
    @Requires(SHARED)
    void writerHoldsAlone() {
        Interlock one = tck.interlock();
        Lease writer = tck.outcome("the writer is granted", request(one).acquireAsync());
        PendingLease<Lease> local = request(one).shared().acquireAsync();
        assertThat(request(tck.interlock()).shared().tryAcquire())
                .as("a reader beside a writer")
                .isEmpty();
        assertThat(local.toCompletableFuture())
                .as("a local reader beside a writer")
                .isNotDone();
        writer.close();
        assertThat(tck.outcome("the reader is granted after the writer", local).isHeld())
                .isTrue();
    }

    @Test
    @Requires({SHARED, QUEUE})
    void arrivingReadersDoNotStarveAWriter() {
        Interlock one = tck.interlock();
        Interlock other = tck.interlock();
        Lease reader =
                tck.outcome("the first reader is granted", request(one).shared().acquireAsync());
        PendingLease<Lease> writer = request(other).acquireAsync();
        StoreProcess observer = tck.process();
        tck.until("the writer waits in the store", () -> refuses(observer));
        PendingLease<Lease> later = request(tck.interlock()).shared().acquireAsync();
        reader.close();
        Lease writing = tck.outcome("the writer is granted", writer);
        assertThat(later.toCompletableFuture())
                .as("a later reader before the waiting writer")
                .isNotDone();
        writing.close();
        tck.outcome("the later reader is granted", later).close();
    }

    /** Returns whether the store refuses another reader. A reader that it accepts releases at once. */
    private boolean refuses(StoreProcess observer) {
        AttemptAnswer answer = observer.ask(key()).shared().send();
        if (answer instanceof AttemptAnswer.All all) {
            observer.release(all.granted().get(0));
        }
        return answer instanceof AttemptAnswer.Busy;
    }

    @Test
    @Requires(SHARED)
    void readersNeverHoldTogetherWithAWriter() {
        Interlock[] interlocks = {tck.interlock(), tck.interlock()};
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger writers = new AtomicInteger();
        AtomicInteger violations = new AtomicInteger();
        tck.threads(THREADS, index -> {
            LockRequest<Lease> request = request(interlocks[index % 2]);
            for (int i = 0; i < tck.kit().rounds(); i++) {
                if ((i + index) % 4 == 0) {
                    request.run(lease -> {
                        boolean alone = writers.incrementAndGet() == 1 && readers.get() == 0;
                        violations.addAndGet(alone ? 0 : 1);
                        writers.decrementAndGet();
                    });
                } else {
                    request.shared().run(lease -> {
                        readers.incrementAndGet();
                        violations.addAndGet(writers.get());
                        readers.decrementAndGet();
                    });
                }
            }
        });
        assertThat(violations).hasValue(0);
    }

    @Test
    @Requires(PERMITS)
    void permitsNeverExceedTheCapacity() {
        int capacity = 5;
        Interlock[] interlocks = {tck.interlock(), tck.interlock()};
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        tck.threads(THREADS, index -> {
            int permits = index % 3 + 1;
            LockRequest<Lease> request = request(interlocks[index % 2]).permits(permits, capacity);
            for (int i = 0; i < tck.kit().rounds(); i++) {
                request.run(lease -> {
                    most.accumulateAndGet(taken.addAndGet(permits), Math::max);
                    Thread.onSpinWait();
                    taken.addAndGet(-permits);
                });
            }
        });
        assertThat(most.get()).isBetween(1, capacity);
        assertThat(taken).hasValue(0);
    }

    @Test
    @Requires(PERMITS)
    void permitsAreHeldTogetherUpToTheCapacity() {
        Interlock one = tck.interlock();
        Lease two = tck.outcome(
                "two of three permits are granted", request(one).permits(2, 3).acquireAsync());
        Lease last = tck.outcome(
                "the third permit is granted",
                request(tck.interlock()).permits(1, 3).acquireAsync());
        assertThat(two.isHeld() && last.isHeld()).as("all permits are held").isTrue();
        PendingLease<Lease> more = request(one).permits(1, 3).acquireAsync();
        tck.time().pass(Duration.ofMillis(20));
        assertThat(more.toCompletableFuture())
                .as("a permit beyond the capacity")
                .isNotDone();
        last.close();
        assertThat(tck.outcome("a released permit is granted", more).isHeld())
                .as("the released permit is held")
                .isTrue();
    }
}
