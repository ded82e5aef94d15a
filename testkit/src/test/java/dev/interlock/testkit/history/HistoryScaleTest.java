package dev.interlock.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads and checks a history of ordinary work in files, as large as that of a long run. Prints the speed. */
@Tag("slow")
class HistoryScaleTest {
    private static final int EVENTS = 1_000_000;
    private static final int SOAK_EVENTS = 10_000_000;
    private static final int PROCESSES = 8;
    private static final int KEYS = 1_000;
    private static final int EVENTS_PER_UNIT = 11;

    @TempDir
    Path directory;

    @Test
    void largeHistoryIsReadAndChecked() throws IOException {
        int events = Boolean.getBoolean("interlock.soak") ? SOAK_EVENTS : EVENTS;
        long writing = System.nanoTime();
        List<Path> files = write(events);
        long began = System.nanoTime();
        History history = History.read(files);
        long read = System.nanoTime() - began;
        Verdict verdict = new HistoryChecker(Expectations.strict()).check(history);
        verdict.assertClean();
        assertThat(history.size()).isGreaterThanOrEqualTo(events);
        Runtime runtime = Runtime.getRuntime();
        System.getLogger("history")
                .log(
                        System.Logger.Level.INFO,
                        "{0} events: recorded at {1} ns each, read and sorted in {2} ms,"
                                + " checked at {3} events per second,"
                                + " {4} MB of heap in use",
                        history.size(),
                        (began - writing) / history.size(),
                        read / 1_000_000,
                        verdict.figure(Figure.EVENTS_PER_SECOND),
                        (runtime.totalMemory() - runtime.freeMemory()) >> 20);
    }

    /** Units of work of all processes in turn, one after the other on each key. Time passes between events. */
    private List<Path> write(int events) throws IOException {
        long[] now = {1};
        List<Path> files = new ArrayList<>();
        List<EventLog> logs = new ArrayList<>();
        List<Recorder> recorders = new ArrayList<>();
        for (int number = 0; number < PROCESSES; number++) {
            files.add(directory.resolve("worker" + number));
            logs.add(EventLog.create(files.get(number), EventLog.Writer.client(number, "worker " + number), events));
            recorders.add(new Recorder(logs.get(number), () -> now[0] += 100));
        }
        files.add(directory.resolve("resource"));
        EventLog.Writer writer = new EventLog.Writer(PROCESSES, "resource", EventLog.Role.FENCED_RESOURCE);
        logs.add(EventLog.create(files.get(PROCESSES), writer, events));
        ResourceRecorder resource = new ResourceRecorder(logs.get(PROCESSES), () -> now[0] += 100);
        for (int unit = 0; unit < events / EVENTS_PER_UNIT + 1; unit++) {
            work(unit, recorders.get(unit % PROCESSES), resource, now);
        }
        for (int key = 0; key < KEYS; key++) {
            recorders.get(0).freeAtRest("key " + key);
            int writes = (events / EVENTS_PER_UNIT + KEYS - key) / KEYS;
            recorders.get(0).finalValue("key " + key, writes);
        }
        logs.forEach(EventLog::close);
        return files;
    }

    private static void work(int unit, Recorder recorder, ResourceRecorder resource, long[] now) {
        String key = "key " + unit % KEYS;
        int turn = unit / KEYS;
        RecordedAttempt attempt = recorder.acquire(key, unit + 1, 1_000_000);
        attempt.granted(turn + 1, now[0] + 1_000_000);
        attempt.enter();
        resource.raised(key, attempt.id(), attempt.owner(), attempt.token(), turn, true);
        resource.read(key, attempt.id(), attempt.owner(), attempt.token(), turn, turn + 1);
        attempt.write(turn, turn + 1);
        resource.wrote(key, attempt.id(), attempt.owner(), attempt.token(), turn, turn + 1, turn + 1, true);
        attempt.writeAccepted(turn, turn + 1);
        attempt.exit();
        attempt.release();
        attempt.released();
    }
}
