package dev.interlock.spi;

import java.time.Duration;
import java.util.List;

/**
 * One exchange of notes about waits between a process and all others.
 *
 * @param written notes to write, or to write anew under the same id; at most {@link LockStore#MAX_BATCH}
 * @param removed ids of notes that are over; at most {@link LockStore#MAX_BATCH}
 * @param kept how long a written note stays if it is not written again, by the store's clock
 * @param read whether to answer all notes there are, the written ones too; otherwise the answer is empty
 */
public record WaitNotes(List<WaitNote> written, List<String> removed, Duration kept, boolean read) {
    /** Copies the lists. */
    public WaitNotes {
        written = List.copyOf(written);
        removed = List.copyOf(removed);
    }

    /** Only reads. */
    public static WaitNotes reading() {
        return new WaitNotes(List.of(), List.of(), Duration.ofSeconds(1), true);
    }
}
