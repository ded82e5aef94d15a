package dev.interlock.testkit.workers;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ShutdownReport;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.workers.Section.Point;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What a worker can be told to do; {@link Worker} is the other end. Thread-safe. */
final class WorkerCommands {
    private static final Duration STOP_WITHIN = Duration.ofSeconds(20);
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

    private final Interlock interlock;
    private final Sections sections;
    private final Nests nests;
    private final Points points;
    private final Tally tally;
    private final String name;
    private final int number;
    private final Map<Long, Tenure> held = new ConcurrentHashMap<>();
    private final AtomicLong handles = new AtomicLong();
    private final AtomicReference<@Nullable WorkloadLoop> loop = new AtomicReference<>();

    WorkerCommands(
            Interlock interlock, Sections sections, Nests nests, Points points, Tally tally, String name, int number) {
        this.interlock = interlock;
        this.sections = sections;
        this.nests = nests;
        this.points = points;
        this.tally = tally;
        this.name = name;
        this.number = number;
    }

    Message carryOut(Message command) throws Exception {
        return switch (command.verb()) {
            case "acquire" -> acquire(Ask.readFrom(command));
            case "section" ->
                sections.run(Section.readFrom(command), newOwner()).writeTo(Message.of("ended"));
            case "nest" -> nests.run(Nest.readFrom(command), newOwner()).writeTo(Message.of("ended"));
            case "nest-storm" -> nestStorm(Nest.readFrom(command), command);
            case "held" -> state(tenure(command));
            case "raise" -> answer(tenure(command).raise());
            case "read" -> answer(tenure(command).read());
            case "write" -> answer(tenure(command).write(command.number("base"), command.number("value")));
            case "release" ->
                Message.of("released").with("result", remove(command).release());
            case "stop-at" -> arm(Point.valueOf(command.text("point")));
            case "proceed" -> disarm(Point.valueOf(command.text("point")));
            case "run" -> run(Workload.readFrom(command));
            case "rest" -> rest();
            case "progress" -> tally.progress().writeTo(Message.of("progress"));
            case "close" -> close();
            default -> throw new IllegalArgumentException("A worker does not know the command \"" + command + "\".");
        };
    }

    private Message acquire(Ask ask) {
        Sections.Taken taken = sections.take(ask, newOwner());
        if (taken.tenure().isEmpty()) {
            return Message.of("not-acquired").with("outcome", taken.otherwise()).with("why", taken.detail());
        }
        Tenure tenure = taken.tenure().get();
        long handle = handles.incrementAndGet();
        held.put(handle, tenure);
        return Message.of("acquired").with("handle", handle).with("token", tenure.token());
    }

    /** Every scripted acquire is an owner of its own, as every lease is. */
    private long newOwner() {
        return Recorder.hash(name + "/command " + handles.incrementAndGet());
    }

    private static Message state(Tenure tenure) {
        boolean isHeld = tenure.check();
        Message answer = Message.of("state").with("held", isHeld);
        return tenure.lost()
                .map((LossReason reason) -> answer.with("lost", reason))
                .orElse(answer);
    }

    private static Message answer(ResourceAnswer answer) {
        return Message.of("answered")
                .with("accepted", answer.accepted())
                .with("value", answer.value())
                .with("fence", answer.fence());
    }

    private Message arm(Point point) {
        points.arm(point);
        return Message.of("armed");
    }

    private Message disarm(Point point) {
        points.disarm(point);
        return Message.of("disarmed");
    }

    private Message run(Workload workload) {
        WorkloadLoop started = new WorkloadLoop(workload, sections, tally);
        if (!loop.compareAndSet(null, started)) {
            throw new IllegalStateException("A workload is already running.");
        }
        started.start(name, number);
        return Message.of("running");
    }

    /** Nests at random, one after the other, until the given time is over; says how they ended. */
    private Message nestStorm(Nest like, Message command) {
        SplittableRandom random = new SplittableRandom(command.number("seed") * 31 + number);
        long end = System.nanoTime() + command.duration("length").toNanos();
        Map<Nest.Outcome, Integer> outcomes = new EnumMap<>(Nest.Outcome.class);
        long longest = 0;
        while (System.nanoTime() < end) {
            Nest.Report report = nests.run(Nests.random(like.keys(), like, random), newOwner());
            outcomes.merge(report.outcome(), 1, Integer::sum);
            if (report.outcome() == Nest.Outcome.DEADLOCK) {
                longest = Math.max(longest, report.waited().toNanos());
            }
        }
        Message ended = Message.of("ended").with("longest", longest);
        for (Nest.Outcome outcome : Nest.Outcome.values()) {
            ended = ended.with(outcome.name(), outcomes.getOrDefault(outcome, 0));
        }
        return ended;
    }

    private Message rest() throws InterruptedException {
        WorkloadLoop running = loop.getAndSet(null);
        if (running != null && !running.stop(STOP_WITHIN)) {
            throw new IllegalStateException("The workload did not stop within " + STOP_WITHIN + ".");
        }
        return tally.progress().writeTo(Message.of("progress"));
    }

    private Message close() {
        List<Tenure> tenures = List.copyOf(held.values());
        tenures.forEach(Tenure::closing);
        ShutdownReport report = interlock.shutdown(CLOSE_WITHIN);
        tenures.forEach(tenure -> tenure.closed(report.released().contains(LockKey.of(tenure.key()))));
        return Message.of("closed")
                .with("released", report.released().size())
                .with("unreleased", report.unreleased().size())
                .with("withdrawn", report.withdrawn());
    }

    private Tenure tenure(Message command) {
        return known(command, held.get(command.number("handle")));
    }

    private Tenure remove(Message command) {
        return known(command, held.remove(command.number("handle")));
    }

    private static Tenure known(Message command, @Nullable Tenure tenure) {
        if (tenure == null) {
            throw new IllegalArgumentException("No lease has the handle in \"" + command + "\".");
        }
        return tenure;
    }
}
