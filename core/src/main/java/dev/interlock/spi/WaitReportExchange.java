package dev.interlock.spi;

import java.time.Duration;
import java.util.List;

/**
 * One exchange of wait reports: a process writes its own and reads those of all processes.
 *
 * @param written the reports to write, or to replace under the same id; at most {@link LockStore#MAX_BATCH}
 * @param removed the ids of reports to remove; at most {@link LockStore#MAX_BATCH}
 * @param keepFor how long the store keeps a written report that is not written again, by its own clock
 * @param read whether to return all reports, including those just written; otherwise the answer is empty
 * @since 0.1.0
 */
public record WaitReportExchange(List<WaitReport> written, List<String> removed, Duration keepFor, boolean read) {
    /** Copies the lists. */
    public WaitReportExchange {
        written = List.copyOf(written);
        removed = List.copyOf(removed);
    }

    /** Returns an exchange that writes nothing and reads all reports. */
    public static WaitReportExchange reading() {
        return new WaitReportExchange(List.of(), List.of(), Duration.ofSeconds(1), true);
    }
}
