package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.PERMITS;
import static dev.interlock.testkit.Capability.QUEUE;
import static dev.interlock.testkit.Capability.SHARED;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Granted;
import org.junit.jupiter.api.Test;

/** Which modes can hold a key together, and which waiter comes next. */
abstract class ModeCases {
    private final TckCase tck;

    ModeCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("mode");
    }

    private TckAttempt ask() {
        return tck.process().ask(key());
    }

    @Test
    @Requires(SHARED)
    void sharedHoldersHoldTogether() {
        ask().shared().granted();
        ask().shared().granted();
        ask().shared().granted();
    }

    @Test
    @Requires(SHARED)
    void exclusiveWaitsForTheLastSharedHolder() {
        StoreProcess process = tck.process();
        Granted one = ask().shared().granted();
        Granted two = ask().shared().granted();
        ask().busy();
        process.release(one);
        ask().busy();
        process.release(two);
        ask().granted();
    }

    @Test
    @Requires(SHARED)
    void sharedWaitsForTheExclusiveHolder() {
        Granted writer = ask().granted();
        ask().shared().busy();
        tck.process().release(writer);
        ask().shared().granted();
    }

    @Test
    @Requires({SHARED, QUEUE})
    void laterReaderDoesNotOvertakeAWaitingWriter() {
        StoreProcess process = tck.process();
        Granted reader = ask().shared().granted();
        TckAttempt writer = ask().queueing();
        writer.queued();
        ask().shared().busy();
        TckAttempt later = ask().shared().queueing();
        later.queued();
        process.release(reader);
        Granted written = writer.won();
        later.stillWaits();
        process.release(written);
        later.won();
    }

    @Test
    @Requires({SHARED, QUEUE})
    void readersThatWaitBehindAWriterAreGrantedTogether() {
        Granted writer = ask().granted();
        TckAttempt one = ask().shared().queueing();
        TckAttempt two = ask().shared().queueing();
        TckAttempt nextWriter = ask().queueing();
        TckAttempt three = ask().shared().queueing();
        one.queued();
        two.queued();
        nextWriter.queued();
        three.queued();
        tck.process().release(writer);
        one.won();
        two.won();
        nextWriter.stillWaits();
        three.stillWaits();
    }

    @Test
    @Requires(SHARED)
    void repeatedSharedAttemptHoldsOnce() {
        TckAttempt reader = ask().shared();
        reader.granted();
        tck.process().release(reader.granted());
        ask().granted();
    }

    @Test
    @Requires(PERMITS)
    void permitsStayWithinTheCapacity() {
        StoreProcess process = tck.process();
        Granted two = ask().permits(2, 3).granted();
        ask().permits(2, 3).busy();
        ask().permits(1, 3).granted();
        ask().permits(1, 3).busy();
        process.release(two);
        ask().permits(2, 3).granted();
        ask().permits(1, 3).busy();
    }

    @Test
    @Requires(PERMITS)
    void requestWithASmallerCapacityWaitsLonger() {
        ask().permits(2, 5).granted();
        ask().permits(1, 2).busy();
        ask().permits(1, 5).granted();
    }

    @Test
    @Requires(PERMITS)
    void repeatedAttemptTakesItsPermitsOnce() {
        TckAttempt two = ask().permits(2, 3);
        two.granted();
        two.granted();
        ask().permits(1, 3).granted();
    }

    @Test
    @Requires({PERMITS, QUEUE})
    void smallRequestDoesNotOvertakeALargeWaitingRequest() {
        StoreProcess process = tck.process();
        Granted two = ask().permits(2, 3).granted();
        TckAttempt large = ask().permits(3, 3).queueing();
        large.queued();
        ask().permits(1, 3).busy();
        TckAttempt small = ask().permits(1, 3).queueing();
        small.queued();
        process.release(two);
        large.won();
        small.stillWaits();
    }

    @Test
    @Requires({PERMITS, QUEUE})
    void releasedPermitsServeSeveralWaiters() {
        StoreProcess process = tck.process();
        Granted all = ask().permits(3, 3).granted();
        TckAttempt one = ask().permits(1, 3).queueing();
        TckAttempt two = ask().permits(2, 3).queueing();
        TckAttempt three = ask().permits(1, 3).queueing();
        one.queued();
        two.queued();
        three.queued();
        process.release(all);
        one.won();
        two.won();
        three.stillWaits();
    }

    @Test
    @Requires(PERMITS)
    void permitsAndExclusiveExcludeEachOther() {
        Granted permit = ask().permits(1, 3).granted();
        ask().busy();
        tck.process().release(permit);
        ask().granted();
        ask().permits(1, 3).busy();
    }

    @Test
    @Requires({PERMITS, SHARED})
    void permitsAndSharedExcludeEachOther() {
        Granted permit = ask().permits(1, 3).granted();
        ask().shared().busy();
        tck.process().release(permit);
        ask().shared().granted();
        ask().permits(1, 3).busy();
    }
}
