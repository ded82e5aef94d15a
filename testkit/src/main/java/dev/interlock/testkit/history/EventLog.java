package dev.interlock.testkit.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The append-only log of one process: complete events of fixed width, in the order in which their slots were claimed.
 *
 * <p>A log in a file survives {@code kill -9} of its writer. It contains every event whose recording method returned.
 * Events that were being written are skipped and counted. The file is memory-mapped and sparse, so a capacity of
 * millions costs nothing until it is used. The log does not survive the loss of the host.
 *
 * <p>Thread-safe: an append claims its slot with one atomic addition and waits for no other thread. A full log throws;
 * it never drops an event silently.
 *
 * @since 0.1.0
 */
public final class EventLog implements AutoCloseable {
    /** What kind of process writes a log. It defines what the order of the events means. */
    public enum Role {
        /** A process that acquires locks, or the harness that injects faults. */
        CLIENT(0),
        /**
         * The protected resource, with a fence. The order of slots is the order of effects, and a stale effect is a
         * violation.
         */
        FENCED_RESOURCE(1),
        /** The same resource without a fence, as a control. Its stale effects show that the faults do harm. */
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
     * The writer of a log.
     *
     * @param number unique in the run, from 0 to {@value #MAX_NUMBER}
     * @param name the name in reports
     * @param role the kind of process
     */
    public record Writer(int number, String name, Role role) {
        static final int MAX_NUMBER = (1 << 14) - 1;

        /** Checks the number. */
        public Writer {
            if (number < 0 || number > MAX_NUMBER) {
                throw new IllegalArgumentException(
                        "The process number " + number + " is not between 0 and " + MAX_NUMBER + ".");
            }
        }

        /** A process that acquires locks. */
        public static Writer client(int number, String name) {
            return new Writer(number, name, Role.CLIENT);
        }
    }

    private final Writer writer;
    private final EventSlots slots;
    private final EventNames names;

    private EventLog(Writer writer, EventSlots slots, EventNames names) {
        this.writer = writer;
        this.slots = slots;
        this.names = names;
    }

    /**
     * Creates the log of this process, and {@code <file>.names} beside it. Neither file may exist.
     *
     * @param capacity the maximum number of events, at max about 33 million
     */
    public static EventLog create(Path file, Writer writer, int capacity) throws IOException {
        checkCapacity(capacity, MappedSlots.MAX_CAPACITY);
        // Names first: a reader that finds the log must also find its names.
        EventNames names = EventNames.create(file);
        try {
            return new EventLog(writer, MappedSlots.create(file, writer, capacity), names);
        } catch (IOException | RuntimeException failed) {
            names.close();
            throw failed;
        }
    }

    /** Creates a log in memory, for simulations and for histories written by hand. It grows up to its capacity. */
    public static EventLog inMemory(Writer writer, int capacity) {
        checkCapacity(capacity, Integer.MAX_VALUE / EventSlots.WORDS / 2);
        return new EventLog(writer, new HeapSlots(capacity), EventNames.inMemory());
    }

    /** The writer of this log. */
    public Writer writer() {
        return writer;
    }

    /** Returns how many events were begun so far. */
    public int size() {
        return slots.claimed();
    }

    /** Closes the file of names. Known names can still be recorded afterwards, new ones cannot. */
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

    EventSlots slots() {
        return slots;
    }

    List<String> names() {
        return names.all();
    }

    private static void checkCapacity(int capacity, int max) {
        if (capacity < 1 || capacity > max) {
            throw new IllegalArgumentException(
                    "The capacity " + capacity + " of an event log is not between 1 and " + max + ".");
        }
    }
}
