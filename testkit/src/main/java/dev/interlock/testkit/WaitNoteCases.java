package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.WAIT_NOTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.LockStore;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Notes that processes leave for each other about their waits. */
@Needs(WAIT_NOTES)
abstract class WaitNoteCases {
    private final TckCase tck;

    WaitNoteCases(TckCase tck) {
        this.tck = tck;
    }

    private static WaitNotes writing(Duration kept, WaitNote... notes) {
        return new WaitNotes(List.of(notes), List.of(), kept, false);
    }

    private static WaitNotes removing(String... ids) {
        return new WaitNotes(List.of(), List.of(ids), TckCase.LONG, false);
    }

    @Test
    void everybodyReadsWhatEverybodyWrote() {
        StoreProcess one = tck.process();
        StoreProcess other = tck.process();
        WaitNote first = new WaitNote("a-1", "first");
        WaitNote second = new WaitNote("b-1", "second");
        assertThat(one.exchange(WaitNotes.reading())).isEmpty();
        assertThat(one.exchange(writing(TckCase.LONG, first))).isEmpty();
        assertThat(other.exchange(new WaitNotes(List.of(second), List.of(), TckCase.LONG, true)))
                .containsExactlyInAnyOrder(first, second);
        assertThat(one.exchange(WaitNotes.reading())).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void noteIsReplacedByItsNextVersionAndRemovedWhenItIsOver() {
        StoreProcess one = tck.process();
        one.exchange(writing(TckCase.LONG, new WaitNote("a-1", "old"), new WaitNote("a-2", "stays")));
        one.exchange(writing(TckCase.LONG, new WaitNote("a-1", "new")));
        assertThat(one.exchange(WaitNotes.reading()))
                .containsExactlyInAnyOrder(new WaitNote("a-1", "new"), new WaitNote("a-2", "stays"));
        one.exchange(removing("a-1", "unknown"));
        assertThat(one.exchange(WaitNotes.reading())).containsExactly(new WaitNote("a-2", "stays"));
    }

    @Test
    void noteEndsByItselfUnlessItIsWrittenAgain() {
        StoreProcess one = tck.process();
        Duration kept = tck.lease();
        one.exchange(writing(kept, new WaitNote("a-1", "forgotten")));
        one.exchange(writing(TckCase.LONG, new WaitNote("a-2", "kept")));
        tck.passLease(kept);
        assertThat(one.exchange(WaitNotes.reading())).containsExactly(new WaitNote("a-2", "kept"));
        assertThat(tck.process().exchange(WaitNotes.reading())).containsExactly(new WaitNote("a-2", "kept"));
    }

    @Test
    void textComesBackAsItWas() {
        StoreProcess one = tck.process();
        String odd = "tab\tline\n'quote\" % {x} \\ # | \u00e4\u00f6 \u2603 \ud83d\ude00 -- ; DROP TABLE x\n";
        WaitNote strange = new WaitNote("A-1", odd);
        WaitNote empty = new WaitNote("a-1", "");
        WaitNote longest = new WaitNote("a-" + "1".repeat(WaitNote.MAX_ID - 2), "\u2603".repeat(WaitNote.MAX_TEXT));
        one.exchange(writing(TckCase.LONG, strange, empty, longest));
        assertThat(one.exchange(WaitNotes.reading())).containsExactlyInAnyOrder(strange, empty, longest);
    }

    @Test
    void wholeBatchIsWrittenAndRemovedAtOnce() {
        StoreProcess one = tck.process();
        List<WaitNote> many = IntStream.range(0, LockStore.MAX_BATCH)
                .mapToObj(i -> new WaitNote("a-" + i, "note " + i))
                .toList();
        List<String> ids = many.stream().map(WaitNote::id).toList();
        assertThat(one.exchange(new WaitNotes(many, List.of(), TckCase.LONG, true)))
                .containsExactlyInAnyOrderElementsOf(many);
        assertThat(one.exchange(new WaitNotes(List.of(), ids, TckCase.LONG, true)))
                .isEmpty();
    }

    @Test
    void notesOfAnotherNamespaceAreNotSeen() {
        tck.process().exchange(writing(TckCase.LONG, new WaitNote("a-1", "here")));
        assertThat(tck.elsewhere().locks().waitForGraph().waits()).isEmpty();
    }
}
