package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.FORCED_RELEASE;
import static dev.interlock.testkit.Capability.INTROSPECTION;
import static dev.interlock.testkit.Capability.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockOperator;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockSnapshot;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What an operator sees and can do, through any Interlock of the namespace. */
abstract class OperatorCases {
    private final TckCase tck;

    OperatorCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("seen");
    }

    @Test
    @Requires(INTROSPECTION)
    void holderIsShownWithItsNameAndGrant() {
        Lease lease = tck.interlock(builder -> builder.name("till-7")).locks().acquire(key());
        LockSnapshot lock = tck.interlock().operator().inspect(key()).orElseThrow();
        assertThat(lock.key()).isEqualTo(key());
        LockSnapshot.Holder holder = lock.holders().get(0);
        assertThat(holder.label()).isIn("till-7", "unknown");
        assertThat(holder.owner()).isEqualTo(lease.owner().toString());
        assertThat(holder.grant()).isEqualTo(lease.token().grant());
        assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
        lease.close();
        assertThat(tck.interlock().operator().inspect(key()))
                .as("inspection of a free key")
                .isEmpty();
    }

    @Test
    @Requires({INTROSPECTION, QUEUE})
    void processCountsAsOneWaiterForAnyNumberOfItsRequests() {
        tck.process().ask(key()).granted();
        Interlock waiting = tck.interlock();
        for (int i = 0; i < 3; i++) {
            waiting.locks().with(key()).waitAtMost(TckCase.LONG).acquireAsync();
        }
        LockOperator operator = tck.interlock().operator();
        tck.until(
                "the process waits", () -> operator.inspect(key()).orElseThrow().waiters() == 1);
        tck.time().pass(tck.lease());
        assertThat(operator.inspect(key()).orElseThrow().waiters()).isEqualTo(1);
    }

    @Test
    @Requires(INTROSPECTION)
    void inspectionOfOneKeyDoesNotShowAKeyWithTheSamePrefix() {
        Interlock interlock = tck.interlock();
        interlock.locks().acquire(tck.key("seen-too"));
        assertThat(interlock.operator().inspect(key()))
                .as("inspection of the prefix of a held key")
                .isEmpty();
    }

    @Test
    @Requires(INTROSPECTION)
    void locksAreListedInPages() {
        Interlock interlock = tck.interlock();
        LeaseSet leases = interlock
                .locks()
                .with(IntStream.range(0, 5).mapToObj(i -> tck.key("list-" + i)).toList())
                .acquire();
        LockPage first = interlock.operator().list("tck:list-", Optional.empty(), 3);
        LockPage second = interlock.operator().list("tck:list-", first.next(), 3);
        assertThat(first.locks())
                .extracting(LockSnapshot::key)
                .isEqualTo(leases.keys().subList(0, 3));
        assertThat(second.locks())
                .extracting(LockSnapshot::key)
                .isEqualTo(leases.keys().subList(3, 5));
        leases.close();
        assertThat(interlock.operator().list("", Optional.empty(), 3).locks())
                .as("locks after the release")
                .isEmpty();
    }

    @Test
    @Requires(FORCED_RELEASE)
    void forcedReleaseGrantsTheLockToTheNextWaiter() {
        Lease held = tck.interlock().locks().acquire(key());
        Interlock other = tck.interlock();
        var pending = other.locks().with(key()).waitAtMost(TckCase.LONG).acquireAsync();
        tck.time().pass(tck.lease().dividedBy(10));
        assertThat(tck.interlock().operator().forceRelease(key())).isEqualTo(1);
        Lease next = tck.outcome("the next waiter is granted", pending);
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(tck.interlock().operator().forceRelease(tck.key("free")))
                .as("holders of a free key")
                .isZero();
    }
}
