package dev.interlock.testkit.history;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/**
 * Slots in a memory-mapped file: one page of header, then the slots.
 *
 * <p>Stored words are in the page cache and survive the process. The header word of a slot is stored last, with release
 * semantics, so a kill at any moment leaves only complete events and slots without a header. The file also contains the
 * number of claimed slots, which shows how many were left unfinished.
 *
 * <p>The file survives the death of the process, not of the host: nothing is forced to disk.
 */
final class MappedSlots implements EventSlots {
    static final int MAX_CAPACITY = (Integer.MAX_VALUE - MappedSlots.PAGE) / MappedSlots.SLOT_BYTES;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MAGIC = 0x31474F4C4B4C4E49L; // the bytes "INLKLOG1"
    private static final long VERSION = 1;
    private static final int PAGE = 4096;
    private static final int SLOT_BYTES = WORDS * Long.BYTES;
    private static final int MAX_NAME_BYTES = 1024;

    private static final int AT_VERSION = 8;
    private static final int AT_CAPACITY = 16;
    private static final int AT_NUMBER = 24;
    private static final int AT_ROLE = 32;
    private static final int AT_PID = 40;
    private static final int AT_WALL = 48;
    private static final int AT_NANOS = 56;
    private static final int AT_NAME_LENGTH = 64;
    private static final int AT_NAME = 72;
    // Every append writes here, so it has its own cache line, away from words that are only read.
    private static final int AT_CLAIMED = 2048;

    private final Path file;
    private final MappedByteBuffer buffer;
    private final int capacity;

    private MappedSlots(Path file, MappedByteBuffer buffer, int capacity) {
        this.file = file;
        this.buffer = buffer;
        this.capacity = capacity;
    }

    /** Creates a new file. It is sparse: only written parts take space. */
    static MappedSlots create(Path file, EventLog.Writer writer, int capacity) throws IOException {
        byte[] name = writer.name().getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "The process name has " + name.length + " bytes; the maximum is " + MAX_NAME_BYTES + ".");
        }
        long bytes = PAGE + (long) capacity * SLOT_BYTES;
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer buffer = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
            buffer.order(ByteOrder.LITTLE_ENDIAN);
            buffer.putLong(AT_VERSION, VERSION);
            buffer.putLong(AT_CAPACITY, capacity);
            buffer.putLong(AT_NUMBER, writer.number());
            buffer.putLong(AT_ROLE, writer.role().code());
            buffer.putLong(AT_PID, ProcessHandle.current().pid());
            buffer.putLong(AT_WALL, System.currentTimeMillis());
            buffer.putLong(AT_NANOS, System.nanoTime());
            buffer.putLong(AT_NAME_LENGTH, name.length);
            buffer.put(AT_NAME, name);
            LONG.setRelease(buffer, 0, MAGIC);
            return new MappedSlots(file, buffer, capacity);
        }
    }

    /** Opens a file that this or another process wrote or still writes. */
    static MappedSlots open(Path file) throws IOException {
        long bytes = Files.size(file);
        if (bytes < PAGE || bytes > Integer.MAX_VALUE) {
            throw new IOException("Not an event log: " + file + " has " + bytes + " bytes.");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MappedByteBuffer buffer = channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes);
            buffer.order(ByteOrder.LITTLE_ENDIAN);
            if ((long) LONG.getAcquire(buffer, 0) != MAGIC) {
                throw new IOException("Not an event log, or its writer died while creating it: " + file);
            }
            if (buffer.getLong(AT_VERSION) != VERSION) {
                throw new IOException("The event log " + file + " has version " + buffer.getLong(AT_VERSION)
                        + "; this reader supports version " + VERSION + ".");
            }
            long capacity = buffer.getLong(AT_CAPACITY);
            if (bytes != PAGE + capacity * SLOT_BYTES) {
                throw new IOException("The event log " + file + " is truncated: it has " + bytes
                        + " bytes, but its capacity is " + capacity + " events.");
            }
            return new MappedSlots(file, buffer, (int) capacity);
        }
    }

    @Override
    public void append(long header, long nanos, long attempt, long owner, long token, long a, long b, long c) {
        long slot = (long) LONG.getAndAdd(buffer, AT_CLAIMED, 1L);
        if (slot >= capacity) {
            throw new IllegalStateException(
                    "The event log " + file + " is full: its capacity is " + capacity + " events.");
        }
        int at = PAGE + (int) slot * SLOT_BYTES;
        buffer.putLong(at + 8, nanos);
        buffer.putLong(at + 16, attempt);
        buffer.putLong(at + 24, owner);
        buffer.putLong(at + 32, token);
        buffer.putLong(at + 40, a);
        buffer.putLong(at + 48, b);
        buffer.putLong(at + 56, c);
        LONG.setRelease(buffer, at, header);
    }

    @Override
    public int claimed() {
        return (int) Math.min(capacity, (long) LONG.getAcquire(buffer, AT_CLAIMED));
    }

    @Override
    public long word(int slot, int word) {
        int at = PAGE + slot * SLOT_BYTES + word * Long.BYTES;
        return word == 0 ? (long) LONG.getAcquire(buffer, at) : buffer.getLong(at);
    }

    EventLog.Writer writer() {
        byte[] name = new byte[(int) buffer.getLong(AT_NAME_LENGTH)];
        buffer.get(AT_NAME, name);
        return new EventLog.Writer(
                (int) buffer.getLong(AT_NUMBER),
                new String(name, StandardCharsets.UTF_8),
                EventLog.Role.of(buffer.getLong(AT_ROLE)));
    }

    /** The process that wrote the log and the time of its creation, for comparison with other logs. */
    String origin() {
        return "pid " + buffer.getLong(AT_PID) + ", created at " + Instant.ofEpochMilli(buffer.getLong(AT_WALL)) + " = "
                + buffer.getLong(AT_NANOS) + " ns";
    }
}
