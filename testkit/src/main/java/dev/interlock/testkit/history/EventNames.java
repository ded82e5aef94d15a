package dev.interlock.testkit.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The names that the events of one log use, by number. If the log is a file, they are in a file beside it.
 *
 * <p>A name is in the file before its number is in an event. Each record has a length and the bytes. Only the last
 * record can be incomplete because of a kill, and no event refers to that one.
 */
final class EventNames implements AutoCloseable {
    private static final int MAX_BYTES = 4096;

    private final ConcurrentHashMap<String, Integer> ids = new ConcurrentHashMap<>();
    private final List<String> names = new ArrayList<>();
    private final ReentrantLock adding = new ReentrantLock();
    private final @Nullable FileChannel file;

    private EventNames(@Nullable FileChannel file) {
        this.file = file;
    }

    static EventNames inMemory() {
        return new EventNames(null);
    }

    static EventNames create(Path log) throws IOException {
        return new EventNames(FileChannel.open(beside(log), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /** Reads the names of a log that another process wrote. */
    static List<String> read(Path log) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(beside(log)));
        List<String> names = new ArrayList<>();
        while (bytes.remaining() >= Integer.BYTES) {
            int length = bytes.getInt();
            if (length < 0 || length > bytes.remaining()) {
                break;
            }
            byte[] name = new byte[length];
            bytes.get(name);
            names.add(new String(name, StandardCharsets.UTF_8));
        }
        return names;
    }

    int idOf(String name) {
        Integer known = ids.get(name);
        return known != null ? known : add(name);
    }

    List<String> all() {
        adding.lock();
        try {
            return List.copyOf(names);
        } finally {
            adding.unlock();
        }
    }

    private int add(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "A name of " + bytes.length + " bytes cannot be recorded; the maximum is " + MAX_BYTES + ".");
        }
        adding.lock();
        try {
            Integer known = ids.get(name);
            if (known != null) {
                return known;
            }
            if (file != null) {
                write(file, bytes);
            }
            names.add(name);
            ids.put(name, names.size() - 1);
            return names.size() - 1;
        } finally {
            adding.unlock();
        }
    }

    private static void write(FileChannel file, byte[] name) {
        ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + name.length);
        record.putInt(name.length).put(name).flip();
        try {
            while (record.hasRemaining()) {
                file.write(record);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("Cannot write a name to the names file of the event log", failed);
        }
    }

    private static Path beside(Path log) {
        return log.resolveSibling(log.getFileName() + ".names");
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
