package dev.interlock.testkit.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The events that all processes of a run recorded, as columns, in the order of each log and in the order of time.
 *
 * <p>The events of one log are adjacent, in slot order. {@link #order} sorts all events by time. Slots that their
 * process did not finish are left out and counted. Immutable. Takes 68 bytes per event.
 *
 * @since 0.1.0
 */
public final class History {
    /** The events of one log: from {@code from} (inclusive) to {@code to} (exclusive). */
    record Source(EventLog.Writer writer, String origin, int from, int to) {}

    private record Log(EventLog.Writer writer, String origin, EventSlots slots, List<String> names) {}

    final long[] headers;
    final long[] times;
    final long[] attempts;
    final long[] owners;
    final long[] tokens;
    final long[] a;
    final long[] b;
    final long[] c;
    final int[] order;
    private final List<Source> sources = new ArrayList<>();
    private final List<String> names;
    private final int unfinished;

    private History(List<Log> logs) {
        int most = Math.toIntExact(
                logs.stream().mapToLong(log -> log.slots().claimed()).sum());
        headers = new long[most];
        times = new long[most];
        attempts = new long[most];
        owners = new long[most];
        tokens = new long[most];
        a = new long[most];
        b = new long[most];
        c = new long[most];
        NameTable all = new NameTable();
        int size = 0;
        int skipped = 0;
        for (Log log : logs) {
            int claimed = log.slots().claimed();
            int end = copy(log, claimed, size, all);
            skipped += claimed - (end - size);
            sources.add(new Source(log.writer(), log.origin(), size, end));
            size = end;
        }
        names = all.names();
        unfinished = skipped;
        order = TimeOrder.of(times, size);
        checkWriters();
    }

    /**
     * Reads the logs of other processes, dead or alive. An event that is being written is either included or counts as
     * unfinished.
     */
    public static History read(List<Path> files) throws IOException {
        List<Log> logs = new ArrayList<>();
        for (Path file : files) {
            // Events before names: every name that these events use was written before them.
            MappedSlots slots = MappedSlots.open(file);
            EventSlots frozen = new FrozenSlots(slots, slots.claimed());
            logs.add(new Log(slots.writer(), slots.origin(), frozen, EventNames.read(file)));
        }
        return new History(logs);
    }

    /** Returns the history of these logs of this process, up to now. */
    public static History of(EventLog... logs) {
        List<Log> all = new ArrayList<>();
        for (EventLog log : logs) {
            EventSlots frozen = new FrozenSlots(log.slots(), log.size());
            all.add(new Log(log.writer(), "in memory", frozen, log.names()));
        }
        return new History(all);
    }

    /** Returns the number of complete events. */
    public int size() {
        return order.length;
    }

    /** Returns the number of slots that were begun and never finished because their process was killed. */
    public int unfinished() {
        return unfinished;
    }

    /** The writers, one per log. */
    public List<EventLog.Writer> writers() {
        return sources.stream().map(Source::writer).toList();
    }

    List<Source> sources() {
        return sources;
    }

    int nameCount() {
        return names.size();
    }

    String name(int id) {
        return names.get(id);
    }

    String processName(int event) {
        int number = Op.process(headers[event]);
        for (Source source : sources) {
            if (source.writer().number() == number) {
                return source.writer().name();
            }
        }
        return "process " + number;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(
                "History[" + size() + " events of " + sources.size() + " processes, " + unfinished + " unfinished");
        for (Source source : sources) {
            text.append("; ").append(source.writer().name()).append(" ").append(source.origin());
        }
        return text.append("]").toString();
    }

    private int copy(Log log, int claimed, int from, NameTable all) {
        int[] known = new int[log.names().size()];
        for (int i = 0; i < known.length; i++) {
            known[i] = all.idOf(log.names().get(i));
        }
        EventSlots slots = log.slots();
        int to = from;
        for (int slot = 0; slot < claimed; slot++) {
            long header = slots.word(slot, 0);
            if (header == 0) {
                continue;
            }
            int name = Op.name(header);
            int id = name < known.length
                    ? known[name]
                    : all.idOf("name " + name + " of " + log.writer().name());
            headers[to] = Op.withOrigin(header, log.writer().number(), id);
            times[to] = slots.word(slot, 1);
            attempts[to] = slots.word(slot, 2);
            owners[to] = slots.word(slot, 3);
            tokens[to] = slots.word(slot, 4);
            a[to] = slots.word(slot, 5);
            b[to] = slots.word(slot, 6);
            c[to] = slots.word(slot, 7);
            to++;
        }
        return to;
    }

    private void checkWriters() {
        long distinct = sources.stream()
                .mapToInt(source -> source.writer().number())
                .distinct()
                .count();
        if (distinct < sources.size()) {
            throw new IllegalArgumentException(
                    "Two logs have the same process number, so their attempts cannot be distinguished: " + writers());
        }
    }
}
