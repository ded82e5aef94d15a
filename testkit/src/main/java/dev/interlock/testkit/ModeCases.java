package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.PERMITS;
import static dev.interlock.testkit.Capability.QUEUE;
import static dev.interlock.testkit.Capability.SHARED;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Granted;
import org.junit.jupiter.api.Test;

/** Who may hold a key together with whom, and who comes next. */
abstract class ModeCases {
    private final TckCase tck;

    ModeCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("mode");
    }

    private Ask ask() {
        return tck.process().ask(key());
    }

    @Test
    @Needs(SHARED)
    void sharedHoldersHoldTogether() {
        ask().shared().granted();
        ask().shared().granted();
        ask().shared().granted();
    }

    @Test
    @Needs(SHARED)
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
    @Needs(SHARED)
    void sharedWaitsForTheExclusiveHolder() {
        Granted writer = ask().granted();
        ask().shared().busy();
        tck.process().release(writer);
        ask().shared().granted();
    }

    @Test
    @Needs({SHARED, QUEUE})
    void laterReaderDoesNotOvertakeAWaitingWriter() {
        StoreProcess process = tck.process();
        Granted reader = ask().shared().granted();
        Ask writer = ask().queueing();
        writer.queued();
        ask().shared().busy();
        Ask later = ask().shared().queueing();
        later.queued();
        process.release(reader);
        Granted written = writer.won();
        later.stillWaits();
        process.release(written);
        later.won();
    }

    @Test
    @Needs({SHARED, QUEUE})
    void readersThatWaitBehindAWriterGoTogether() {
        Granted writer = ask().granted();
        Ask one = ask().shared().queueing();
        Ask two = ask().shared().queueing();
        Ask nextWriter = ask().queueing();
        Ask three = ask().shared().queueing();
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
    @Needs(SHARED)
    void repeatedSharedAttemptHoldsOnce() {
        Ask reader = ask().shared();
        reader.granted();
        tck.process().release(reader.granted());
        ask().granted();
    }

    @Test
    @Needs(PERMITS)
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
    @Needs(PERMITS)
    void smallerCapacityOnlyWaitsLonger() {
        ask().permits(2, 5).granted();
        ask().permits(1, 2).busy();
        ask().permits(1, 5).granted();
    }

    @Test
    @Needs(PERMITS)
    void repeatedAttemptTakesItsPermitsOnce() {
        Ask two = ask().permits(2, 3);
        two.granted();
        two.granted();
        ask().permits(1, 3).granted();
    }

    @Test
    @Needs({PERMITS, QUEUE})
    void smallRequestDoesNotOvertakeALargeOneThatWaits() {
        StoreProcess process = tck.process();
        Granted two = ask().permits(2, 3).granted();
        Ask large = ask().permits(3, 3).queueing();
        large.queued();
        ask().permits(1, 3).busy();
        Ask small = ask().permits(1, 3).queueing();
        small.queued();
        process.release(two);
        large.won();
        small.stillWaits();
    }

    @Test
    @Needs({PERMITS, QUEUE})
    void permitsThatComeFreeServeSeveralWaiters() {
        StoreProcess process = tck.process();
        Granted all = ask().permits(3, 3).granted();
        Ask one = ask().permits(1, 3).queueing();
        Ask two = ask().permits(2, 3).queueing();
        Ask three = ask().permits(1, 3).queueing();
        one.queued();
        two.queued();
        three.queued();
        process.release(all);
        one.won();
        two.won();
        three.stillWaits();
    }

    @Test
    @Needs(PERMITS)
    void permitsAndExclusiveExcludeEachOther() {
        Granted permit = ask().permits(1, 3).granted();
        ask().busy();
        tck.process().release(permit);
        ask().granted();
        ask().permits(1, 3).busy();
    }

    @Test
    @Needs({PERMITS, SHARED})
    void permitsAndSharedExcludeEachOther() {
        Granted permit = ask().permits(1, 3).granted();
        ask().shared().busy();
        tck.process().release(permit);
        ask().shared().granted();
        ask().permits(1, 3).busy();
    }
}
