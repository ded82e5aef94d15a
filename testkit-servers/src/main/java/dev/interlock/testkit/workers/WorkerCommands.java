package dev.interlock.testkit.workers;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ShutdownReport;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.workers.CriticalSection.Point;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The commands of a worker; {@link Worker} sends them. Thread-safe. */
final class WorkerCommands {
    private static final Duration STOP_WITHIN = Duration.ofSeconds(20);
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

    private final Interlock interlock;
    private final CriticalSectionRunner sections;
    private final NestedLockRunner nests;
    private final StopPoints stopPoints;
    private final WorkerCounts counts;
    private final String name;
    private final int number;
    private final Map<Long, RecordedLease> held = new ConcurrentHashMap<>();
    private final AtomicLong handles = new AtomicLong();
    private final AtomicReference<@Nullable WorkloadLoop> loop = new AtomicReference<>();

    WorkerCommands(
            Interlock interlock,
            CriticalSectionRunner sections,
            NestedLockRunner nests,
            StopPoints stopPoints,
            WorkerCounts counts,
            String name,
            int number) {
        this.interlock = interlock;
        this.sections = sections;
        this.nests = nests;
        this.stopPoints = stopPoints;
        this.counts = counts;
        this.name = name;
        this.number = number;
    }

    WorkerMessage carryOut(WorkerMessage command) throws Exception {
        return switch (command.verb()) {
            case "acquire" -> acquire(WorkerRequest.readFrom(command));
            case "section" ->
                sections.run(CriticalSection.readFrom(command), newOwner()).writeTo(WorkerMessage.of("ended"));
            case "nest" -> nests.run(NestedLocks.readFrom(command), newOwner()).writeTo(WorkerMessage.of("ended"));
            case "nest-storm" -> nestStorm(NestedLocks.readFrom(command), command);
            case "held" -> state(recorded(command));
            case "raise" -> answer(recorded(command).raise());
            case "read" -> answer(recorded(command).read());
            case "write" -> answer(recorded(command).write(command.number("base"), command.number("value")));
            case "release" ->
                WorkerMessage.of("released").with("result", remove(command).release());
            case "stop-at" -> arm(Point.valueOf(command.text("point")));
            case "proceed" -> disarm(Point.valueOf(command.text("point")));
            case "run" -> run(Workload.readFrom(command));
            case "rest" -> rest();
            case "progress" -> counts.progress().writeTo(WorkerMessage.of("progress"));
            case "close" -> close();
            default -> throw new IllegalArgumentException("A worker does not know the command \"" + command + "\".");
        };
    }

    private WorkerMessage acquire(WorkerRequest ask) {
        CriticalSectionRunner.Attempted taken = sections.take(ask, newOwner());
        if (taken.recorded().isEmpty()) {
            return WorkerMessage.of("not-acquired")
                    .with("outcome", taken.otherwise())
                    .with("why", taken.detail());
        }
        RecordedLease recorded = taken.recorded().get();
        long handle = handles.incrementAndGet();
        held.put(handle, recorded);
        return WorkerMessage.of("acquired").with("handle", handle).with("token", recorded.token());
    }

    /** Every scripted acquire has an owner of its own, as every lease does. */
    private long newOwner() {
        return Recorder.hash(name + "/command " + handles.incrementAndGet());
    }

    private static WorkerMessage state(RecordedLease recorded) {
        boolean isHeld = recorded.check();
        WorkerMessage answer = WorkerMessage.of("state").with("held", isHeld);
        return recorded.lost()
                .map((LossReason reason) -> answer.with("lost", reason))
                .orElse(answer);
    }

    private static WorkerMessage answer(ResourceAnswer answer) {
        return WorkerMessage.of("answered")
                .with("accepted", answer.accepted())
                .with("value", answer.value())
                .with("fence", answer.fence());
    }

    private WorkerMessage arm(Point point) {
        stopPoints.arm(point);
        return WorkerMessage.of("armed");
    }

    private WorkerMessage disarm(Point point) {
        stopPoints.disarm(point);
        return WorkerMessage.of("disarmed");
    }

    private WorkerMessage run(Workload workload) {
        WorkloadLoop started = new WorkloadLoop(workload, sections, counts);
        if (!loop.compareAndSet(null, started)) {
            throw new IllegalStateException("A workload is already running.");
        }
        started.start(name, number);
        return WorkerMessage.of("running");
    }

    /** Runs random nests one after the other until the given time is over, and reports how they ended. */
    private WorkerMessage nestStorm(NestedLocks like, WorkerMessage command) {
        SplittableRandom random = new SplittableRandom(command.number("seed") * 31 + number);
        long end = System.nanoTime() + command.duration("length").toNanos();
        Map<NestedLocks.Outcome, Integer> outcomes = new EnumMap<>(NestedLocks.Outcome.class);
        long longest = 0;
        while (System.nanoTime() < end) {
            NestedLocks.Report report = nests.run(NestedLockRunner.random(like.keys(), like, random), newOwner());
            outcomes.merge(report.outcome(), 1, Integer::sum);
            if (report.outcome() == NestedLocks.Outcome.DEADLOCK) {
                longest = Math.max(longest, report.waited().toNanos());
            }
        }
        WorkerMessage ended = WorkerMessage.of("ended").with("longest", longest);
        for (NestedLocks.Outcome outcome : NestedLocks.Outcome.values()) {
            ended = ended.with(outcome.name(), outcomes.getOrDefault(outcome, 0));
        }
        return ended;
    }

    private WorkerMessage rest() throws InterruptedException {
        WorkloadLoop running = loop.getAndSet(null);
        if (running != null && !running.stop(STOP_WITHIN)) {
            throw new IllegalStateException("The workload did not stop within " + STOP_WITHIN + ".");
        }
        return counts.progress().writeTo(WorkerMessage.of("progress"));
    }

    private WorkerMessage close() {
        List<RecordedLease> recordedLeases = List.copyOf(held.values());
        recordedLeases.forEach(RecordedLease::closing);
        ShutdownReport report = interlock.shutdown(CLOSE_WITHIN);
        recordedLeases.forEach(recorded -> recorded.closed(report.released().contains(LockKey.of(recorded.key()))));
        return WorkerMessage.of("closed")
                .with("released", report.released().size())
                .with("unreleased", report.unreleased().size())
                .with("withdrawn", report.withdrawn());
    }

    private RecordedLease recorded(WorkerMessage command) {
        return known(command, held.get(command.number("handle")));
    }

    private RecordedLease remove(WorkerMessage command) {
        return known(command, held.remove(command.number("handle")));
    }

    private static RecordedLease known(WorkerMessage command, @Nullable RecordedLease recorded) {
        if (recorded == null) {
            throw new IllegalArgumentException("No lease has the handle in \"" + command + "\".");
        }
        return recorded;
    }
}
