package dev.interlock.testkit.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The append-only log of one process: whole events of fixed width, in the order in which their slots were claimed.
 *
 * <p>A log in a file survives {@code kill -9} of its writer: every event whose recording method returned is there, and those
 * under way are skipped and counted. It is memory-mapped and sparse, so a capacity of millions costs nothing until it is
 * used. It does not survive the loss of the host.
 *
 * <p>Thread-safe: an append claims its slot with one atomic addition and waits for nobody. A full log throws; an event is
 * never dropped in silence.
 */
public final class EventLog implements AutoCloseable {
    /** Who writes a log, and so what the order of its events means. */
    public enum Role {
        /** A process that takes locks, or the harness that makes the faults. */
        CLIENT(0),
        /** The protected resource, with a fence: the order of slots is the order of effects, and a stale effect is a violation. */
        FENCED_RESOURCE(1),
        /** The same resource without a fence, as a control: its stale effects show that the faults bite. */
        UNFENCED_RESOURCE(2);

        private final int code;

        Role(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        static Role of(long code) {
            return code == 0 ? CLIENT : code == 1 ? FENCED_RESOURCE : UNFENCED_RESOURCE;
        }
    }

    /**
     * Who writes a log.
     *
     * @param number unique in the run; from 0 to {@value #MAX_NUMBER}
     * @param name for people
     * @param role what the log is about
     */
    public record Writer(int number, String name, Role role) {
        static final int MAX_NUMBER = (1 << 14) - 1;

        /** Checks the number. */
        public Writer {
            if (number < 0 || number > MAX_NUMBER) {
                throw new IllegalArgumentException(
                        "The number of a process is from 0 to " + MAX_NUMBER + ", but this is " + number + ".");
            }
        }

        /** A process that takes locks. */
        public static Writer client(int number, String name) {
            return new Writer(number, name, Role.CLIENT);
        }
    }

    private final Writer writer;
    private final Slots slots;
    private final Names names;

    private EventLog(Writer writer, Slots slots, Names names) {
        this.writer = writer;
        this.slots = slots;
        this.names = names;
    }

    /**
     * Makes the log of this process, and {@code <file>.names} beside it. Neither may exist.
     *
     * @param capacity how many events it can take; at most about 33 million
     */
    public static EventLog create(Path file, Writer writer, int capacity) throws IOException {
        checkCapacity(capacity, MappedSlots.MAX_CAPACITY);
        // Names first: a reader that finds the log finds its names as well.
        Names names = Names.create(file);
        try {
            return new EventLog(writer, MappedSlots.create(file, writer, capacity), names);
        } catch (IOException | RuntimeException failed) {
            names.close();
            throw failed;
        }
    }

    /** A log in memory, for simulations and for histories written by hand. It grows up to its capacity. */
    public static EventLog inMemory(Writer writer, int capacity) {
        checkCapacity(capacity, Integer.MAX_VALUE / Slots.WORDS / 2);
        return new EventLog(writer, new HeapSlots(capacity), Names.inMemory());
    }

    /** Who writes this log. */
    public Writer writer() {
        return writer;
    }

    /** How many events were begun so far. */
    public int size() {
        return slots.claimed();
    }

    /** Closes the file of names. Names that are known can still be recorded; new ones cannot. */
    @Override
    public void close() {
        try {
            names.close();
        } catch (IOException failed) {
            throw new UncheckedIOException("The names of the event log could not be closed", failed);
        }
    }

    @Override
    public String toString() {
        return "EventLog[" + writer.number() + " " + writer.name() + ", " + size() + " events]";
    }

    void append(long header, long nanos, long attempt, long owner, long token, long a, long b, long c) {
        slots.append(header, nanos, attempt, owner, token, a, b, c);
    }

    int nameId(String name) {
        return names.idOf(name);
    }

    Slots slots() {
        return slots;
    }

    List<String> names() {
        return names.all();
    }

    private static void checkCapacity(int capacity, int most) {
        if (capacity < 1 || capacity > most) {
            throw new IllegalArgumentException(
                    "The capacity of an event log is from 1 to " + most + ", but this is " + capacity + ".");
        }
    }
}
