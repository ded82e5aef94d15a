package dev.interlock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventLogTest {
    private static final int PAGE = 4096;

    @TempDir
    Path directory;

    private final long owner = Recorder.hash("one");

    @Test
    void eventsAndNamesAreReadBackUnchanged() throws IOException {
        Path file = directory.resolve("one.log");
        try (EventLog log = EventLog.create(file, EventLog.Writer.client(7, "worker 7"), 10)) {
            RecordedAttempt attempt = new Recorder(log, () -> 1234).acquire("stock:äpfel", owner, 500);
            attempt.granted(42, 1700);
        }
        History history = History.read(List.of(file));

        assertThat(history.size()).isEqualTo(2);
        assertThat(history.unfinished()).isZero();
        assertThat(history.writers()).containsExactly(EventLog.Writer.client(7, "worker 7"));
        assertThat(history)
                .asString()
                .contains(
                        "2 events of 1 processes",
                        "worker 7 pid " + ProcessHandle.current().pid());
        int granted = history.order[1];
        assertThat(Op.of(history.headers[granted])).isEqualTo(Op.ACQUIRE);
        assertThat(Op.Phase.of(history.headers[granted])).isEqualTo(Op.Phase.OK);
        assertThat(history.name(Op.name(history.headers[granted]))).isEqualTo("stock:äpfel");
        assertThat(Op.process(history.headers[granted])).isEqualTo(7);
        assertThat(history.attempts[granted]).isEqualTo(7L << 40 | 1);
        assertThat(history.owners[granted]).isEqualTo(owner);
        assertThat(history.tokens[granted]).isEqualTo(42);
        assertThat(history.times[granted]).isEqualTo(1234);
        assertThat(history.a[granted]).isEqualTo(1700);
        assertThat(history.b[granted]).isEqualTo(500);
    }

    @Test
    void fullLogThrowsAndKeepsItsEvents() throws IOException {
        Path file = directory.resolve("small.log");
        try (EventLog log = EventLog.create(file, EventLog.Writer.client(0, "small"), 2)) {
            Recorder recorder = new Recorder(log, () -> 1);
            recorder.freeAtRest("a");
            recorder.freeAtRest("b");
            assertThatIllegalStateException()
                    .isThrownBy(() -> recorder.freeAtRest("c"))
                    .withMessageContaining("capacity is 2");
        }
        assertThat(History.read(List.of(file)).size()).isEqualTo(2);
        assertThat(History.read(List.of(file)).unfinished()).isZero();
    }

    @Test
    void fullLogInMemoryThrows() {
        EventLog log = EventLog.inMemory(EventLog.Writer.client(0, "small"), 1);
        Recorder recorder = new Recorder(log, () -> 1);
        recorder.freeAtRest("a");
        assertThatIllegalStateException()
                .isThrownBy(() -> recorder.freeAtRest("b"))
                .withMessageContaining("capacity is 1");
    }

    @Test
    void slotWithoutHeaderIsSkippedAndCounted() throws IOException {
        Path file = directory.resolve("torn.log");
        try (EventLog log = EventLog.create(file, EventLog.Writer.client(0, "torn"), 10)) {
            Recorder recorder = new Recorder(log, () -> 1);
            recorder.freeAtRest("a");
            recorder.freeAtRest("b");
            recorder.freeAtRest("c");
        }
        tear(file, 1);

        History history = History.read(List.of(file));
        assertThat(history.size()).isEqualTo(2);
        assertThat(history.unfinished()).isEqualTo(1);
        assertThat(history.name(Op.name(history.headers[1]))).isEqualTo("c");
    }

    @Test
    void lastSlotWithoutHeaderIsCounted() throws IOException {
        Path file = directory.resolve("torn.log");
        try (EventLog log = EventLog.create(file, EventLog.Writer.client(0, "torn"), 10)) {
            new Recorder(log, () -> 1).freeAtRest("a");
        }
        tear(file, 0);
        assertThat(History.read(List.of(file)).size()).isZero();
        assertThat(History.read(List.of(file)).unfinished()).isEqualTo(1);
    }

    @Test
    void truncatedNameHidesNoOtherName() throws IOException {
        Path file = directory.resolve("names.log");
        try (EventLog log = EventLog.create(file, EventLog.Writer.client(0, "names"), 10)) {
            new Recorder(log, () -> 1).freeAtRest("whole");
        }
        Files.write(
                directory.resolve("names.log.names"),
                ByteBuffer.allocate(7)
                        .putInt(100)
                        .put("cut".getBytes(StandardCharsets.UTF_8))
                        .array(),
                StandardOpenOption.APPEND);
        History history = History.read(List.of(file));
        assertThat(history.name(Op.name(history.headers[0]))).isEqualTo("whole");
    }

    @Test
    void manyThreadsLoseNoEvent() throws IOException {
        Path file = directory.resolve("many.log");
        int each = 5_000;
        try (EventLog log = EventLog.create(file, EventLog.Writer.client(3, "many"), 4 * each)) {
            Recorder recorder = new Recorder(log, System::nanoTime);
            IntStream.range(0, 4).parallel().forEach(thread -> {
                for (int i = 0; i < each; i++) {
                    recorder.acquire("key " + i % 50, owner, 1);
                }
            });
        }
        History history = History.read(List.of(file));
        assertThat(history.size()).isEqualTo(4 * each);
        assertThat(history.unfinished()).isZero();
        assertThat(Arrays.stream(history.attempts).distinct()).hasSize(4 * each);
        for (int i = 1; i < history.size(); i++) {
            assertThat(history.times[history.order[i]]).isGreaterThanOrEqualTo(history.times[history.order[i - 1]]);
        }
    }

    /** A process that records as fast as it can is killed, and its log is read. */
    @Test
    void killedProcessLeavesOnlyCompleteEvents() throws Exception {
        Path file = directory.resolve("killed.log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        EndlessWriter.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        // It prints a line when it has written many events, and continues.
        assertThat(process.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("going");
        process.destroyForcibly();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();

        History history = History.read(List.of(file));
        assertThat(history.size()).isGreaterThan(EndlessWriter.MANY);
        assertThat(history.unfinished()).isLessThanOrEqualTo(EndlessWriter.THREADS);
        for (int event = 0; event < history.size(); event++) {
            // Every field of a complete event has been written: the writer derives all of them from the attempt.
            assertThat(history.tokens[event]).isEqualTo(history.attempts[event]);
            assertThat(history.a[event]).isEqualTo(-history.attempts[event]);
            assertThat(history.name(Op.name(history.headers[event]))).startsWith("key ");
        }
    }

    @Test
    void logIsNeverOverwritten() throws IOException {
        Path file = directory.resolve("twice.log");
        EventLog.create(file, EventLog.Writer.client(0, "first"), 1).close();
        assertThatThrownBy(() -> EventLog.create(file, EventLog.Writer.client(0, "second"), 1))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void otherFilesAreRefused() throws IOException {
        Path file = directory.resolve("other");
        Files.write(file, new byte[PAGE]);
        assertThatThrownBy(() -> History.read(List.of(file)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Not an event log");
        Files.write(file, new byte[5]);
        assertThatThrownBy(() -> History.read(List.of(file))).hasMessageContaining("has 5 bytes");
    }

    @Test
    void truncatedFileIsRefused() throws IOException {
        Path file = directory.resolve("cut");
        EventLog.create(file, EventLog.Writer.client(0, "cut"), 100).close();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(PAGE + 64);
        }
        assertThatThrownBy(() -> History.read(List.of(file))).hasMessageContaining("is truncated");
    }

    @Test
    void processNumbersMustDiffer() {
        EventLog one = EventLog.inMemory(EventLog.Writer.client(1, "one"), 1);
        EventLog two = EventLog.inMemory(EventLog.Writer.client(1, "two"), 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> History.of(one, two))
                .withMessageContaining("same process number");
    }

    @Test
    void rolesAreChecked() {
        EventLog client = EventLog.inMemory(EventLog.Writer.client(1, "one"), 1);
        EventLog resource = EventLog.inMemory(new EventLog.Writer(2, "resource", EventLog.Role.FENCED_RESOURCE), 1);
        assertThatIllegalArgumentException().isThrownBy(() -> new ResourceRecorder(client, () -> 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Recorder(resource, () -> 0));
    }

    @Test
    void badSizesAreRefused() {
        EventLog.Writer writer = EventLog.Writer.client(1, "one");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventLog.create(directory.resolve("none"), writer, 0))
                .withMessageContaining("between 1 and");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventLog.create(directory.resolve("none"), writer, Integer.MAX_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> EventLog.Writer.client(1 << 14, "too high"));
    }

    /** What a kill between claiming and finishing a slot leaves. */
    private static void tear(Path file, int slot) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN), PAGE + slot * 64L);
        }
    }
}
