package dev.interlock.internal.deadlock;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.WaitForGraph.Held;
import dev.interlock.lock.WaitForGraph.Wait;
import dev.interlock.spi.WaitNote;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A wait as its process described it at one moment.
 *
 * <p>As a note it is a line about the wait, and one line for each key that is held ({@code h}) or about to be asked for ({@code g}); the parts of a line are separated by
 * tabs, which occur in no name. A note of another form is of another version and left alone.
 *
 * @param described the wait
 * @param version grows each time that the process says the wait goes on
 */
public record Row(Wait described, long version) {
    private static final String FORM = "wait1";
    private static final String HELD = "h";
    private static final String GATE = "g";

    /** The note that says this; what does not fit into it is left out. */
    public WaitNote note() {
        StringBuilder text = new StringBuilder();
        line(
                text,
                FORM,
                Long.toString(version),
                Long.toString(described.since().toEpochMilli()),
                described.mode().name(),
                described.scopeId(),
                described.wanted().name(),
                shown(described.process()),
                shown(described.scope()));
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
        return new WaitNote(described.id(), text.toString());
    }

    private static void line(StringBuilder text, String... parts) {
        String line = String.join("\t", parts) + "\n";
        if (text.length() + line.length() <= WaitNote.MAX_TEXT) {
            text.append(line);
        }
    }

    /** Names of threads may have anything in them. */
    private static String shown(String name) {
        StringBuilder shown = new StringBuilder();
        name.codePoints()
                .limit(256)
                .forEach(c -> shown.appendCodePoint(Character.isISOControl(c) || isLoneSurrogate(c) ? ' ' : c));
        return shown.toString();
    }

    private static boolean isLoneSurrogate(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    /** Reads a note; empty if it is of another form. */
    public static Optional<Row> read(WaitNote note) {
        List<String[]> lines =
                note.text().lines().map(line -> line.split("\t", -1)).toList();
        if (lines.isEmpty() || !lines.get(0)[0].equals(FORM) || note.id().indexOf('-') < 0) {
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
                    note.id(),
                    about[6],
                    about[4],
                    about[7],
                    LockKey.of(about[5]),
                    LockMode.valueOf(about[3]),
                    Instant.ofEpochMilli(Long.parseLong(about[2])),
                    held,
                    gates);
            return Optional.of(new Row(wait, Long.parseLong(about[1])));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | java.time.DateTimeException other) {
            return Optional.empty();
        }
    }
}
