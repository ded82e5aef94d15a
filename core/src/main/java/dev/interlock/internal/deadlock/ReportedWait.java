package dev.interlock.internal.deadlock;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.WaitForGraph.Held;
import dev.interlock.lock.WaitForGraph.Wait;
import dev.interlock.spi.WaitReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A wait as its process reported it at one moment.
 *
 * <p>The text of the report is one line about the wait, and one line per key whose lock ({@code h}) or gate
 * ({@code g}) it holds. The fields of a line are separated by tabs, which occur in no name. A report in another
 * format is from another version and is ignored.
 *
 * @param described the wait
 * @param version grows with each report of the same wait
 */
public record ReportedWait(Wait described, long version) {
    private static final String FORM = "wait1";
    private static final String HELD = "h";
    private static final String GATE = "g";

    /** The wait report. Lines that do not fit are left out. */
    public WaitReport report() {
        StringBuilder text = new StringBuilder();
        line(
                text,
                FORM,
                Long.toString(version),
                Long.toString(described.since().toEpochMilli()),
                described.mode().name(),
                described.scopeId(),
                described.wanted().name(),
                printable(described.process()),
                printable(described.scope()));
        for (Held held : described.held()) {
            line(
                    text,
                    HELD,
                    held.mode().name(),
                    Long.toString(held.token().value()),
                    held.key().name());
        }
        for (LockKey key : described.gates()) {
            line(text, GATE, key.name());
        }
        return new WaitReport(described.id(), text.toString());
    }

    private static void line(StringBuilder text, String... parts) {
        String line = String.join("\t", parts) + "\n";
        if (text.length() + line.length() <= WaitReport.MAX_TEXT) {
            text.append(line);
        }
    }

    /** Thread names can contain any character. */
    private static String printable(String name) {
        StringBuilder printable = new StringBuilder();
        name.codePoints()
                .limit(256)
                .forEach(c -> printable.appendCodePoint(Character.isISOControl(c) || isLoneSurrogate(c) ? ' ' : c));
        return printable.toString();
    }

    private static boolean isLoneSurrogate(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    /** Parses a wait report; empty if it has another format. */
    public static Optional<ReportedWait> read(WaitReport report) {
        List<String[]> lines =
                report.text().lines().map(line -> line.split("\t", -1)).toList();
        if (lines.isEmpty() || !lines.get(0)[0].equals(FORM) || report.id().indexOf('-') < 0) {
            return Optional.empty();
        }
        try {
            List<Held> held = new ArrayList<>();
            List<LockKey> gates = new ArrayList<>();
            for (String[] line : lines.subList(1, lines.size())) {
                switch (line[0]) {
                    case HELD ->
                        held.add(new Held(LockKey.of(line[3]), LockMode.valueOf(line[1]), FencingToken.parse(line[2])));
                    case GATE -> gates.add(LockKey.of(line[1]));
                    default -> throw new IllegalArgumentException(line[0]);
                }
            }
            String[] about = lines.get(0);
            Wait wait = new Wait(
                    report.id(),
                    about[6],
                    about[4],
                    about[7],
                    LockKey.of(about[5]),
                    LockMode.valueOf(about[3]),
                    Instant.ofEpochMilli(Long.parseLong(about[2])),
                    held,
                    gates);
            return Optional.of(new ReportedWait(wait, Long.parseLong(about[1])));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | java.time.DateTimeException other) {
            return Optional.empty();
        }
    }
}
