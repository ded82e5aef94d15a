package dev.interlock.cli;

import dev.interlock.bench.ConsoleProgress;
import dev.interlock.bench.JsonReport;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.Suite;
import dev.interlock.bench.SuiteResult;
import dev.interlock.bench.SuiteRunner;
import dev.interlock.bench.TextReport;
import dev.interlock.bench.jmh.JmhRun;
import dev.interlock.bench.memory.MemorySuite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the suite {@code memory}. */
@Command(
        name = "memory",
        description = {
            "Locks inside one process, against fair locks of java.util.concurrent.",
            "",
            "Prints tables of medians with ratios, what became of the goals, and lines",
            "  RATIO <suite>.<workload>.<metric>.vs_<other> <ours divided by theirs>",
            "  VALUE <suite>.<workload>.<metric> <ours>",
            "for scripts. A goal that is missed is no failure; a lost update is.",
            ""
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class BenchMemoryCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--quick", description = "About a minute instead of about four.")
    private boolean quick;

    @Option(names = "--only", split = ",", paramLabel = "WORKLOAD", description = "Only these workloads.")
    private List<String> only = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "How often each contender has its turn.")
    private @Nullable Integer rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long a turn takes, for example 0.5.")
    private @Nullable Double seconds;

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the figures of every round there.")
    private @Nullable Path json;

    @Option(names = "--jmh", description = "Runs the JMH benchmarks with -prof gc instead; knows only --quick.")
    private boolean jmh;

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (jmh) {
            refuseOptionsThatJmhIgnores();
            JmhRun.run(quick).forEach(ratio -> spec.commandLine().getOut().println(ratio.line()));
            return CommandLine.ExitCode.OK;
        }
        Suite suite = suite();
        Schedule schedule = schedule();
        refuseUnwritable(json);
        // Where colours are welcome there is a terminal.
        boolean terminal = spec.commandLine().getColorScheme().ansi().enabled();
        ConsoleProgress progress = new ConsoleProgress(
                spec.commandLine().getErr(), terminal, suite.workloads().size());
        SuiteResult result = new SuiteRunner(schedule, progress).run(suite);
        progress.done();
        new TextReport(spec.commandLine().getOut()).write(result);
        if (json != null) {
            Files.writeString(json, JsonReport.of(result));
        }
        if (!result.isSound()) {
            spec.commandLine().getErr().println("interlock: a lock of ours failed or lost updates, see the table");
            return CommandLine.ExitCode.SOFTWARE;
        }
        return CommandLine.ExitCode.OK;
    }

    private void refuseOptionsThatJmhIgnores() {
        if (!only.isEmpty() || rounds != null || seconds != null || json != null) {
            throw wrong(
                    "--jmh goes together with --quick only; for more, run org.openjdk.jmh.Main on the same class path");
        }
    }

    private Suite suite() {
        try {
            return only.isEmpty() ? MemorySuite.create() : MemorySuite.create().only(only);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private Schedule schedule() {
        try {
            Schedule schedule = quick ? Schedule.QUICK : Schedule.FULL;
            if (seconds != null) {
                schedule = schedule.withTurn(Duration.ofNanos(Math.round(seconds * 1e9)));
            }
            return rounds == null ? schedule : schedule.withRounds(rounds);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /** Before minutes are spent on figures that cannot be kept. */
    private void refuseUnwritable(@Nullable Path file) {
        if (file == null) {
            return;
        }
        Path directory = file.toAbsolutePath().getParent();
        boolean writable = Files.exists(file)
                ? Files.isRegularFile(file) && Files.isWritable(file)
                : directory != null && Files.isWritable(directory);
        if (!writable) {
            throw wrong("Cannot write to " + file + ": name a file in a directory that exists");
        }
    }

    private ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
