package dev.interlock.bench.cli;

import dev.interlock.bench.ConsoleProgress;
import dev.interlock.bench.HtmlReport;
import dev.interlock.bench.JsonReport;
import dev.interlock.bench.RunDescription;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.Suite;
import dev.interlock.bench.SuiteResult;
import dev.interlock.bench.SuiteRunner;
import dev.interlock.bench.TextReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of all suites, and the code that runs a suite with them. */
final class BenchOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--quick", description = "Shorter turns and no scaling runs. Takes at most 90 seconds.")
    private boolean quick;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "WORKLOAD",
            description = "Runs only these workloads; \"growth\" selects all scaling runs.")
    private List<String> only = List.of();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "The number of rounds. Each contender has one turn per round.")
    private @Nullable Integer rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "The length of a turn in seconds, for example 0.5.")
    private @Nullable Double seconds;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the values of every round to this file.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Writes a page with tables and plots to this file.")
    private @Nullable Path html;

    boolean isQuick() {
        return quick;
    }

    /** Whether an option other than {@code --quick} was given. */
    boolean isMoreThanQuick() {
        return !only.isEmpty() || rounds != null || seconds != null || json != null || html != null;
    }

    /**
     * Returns the schedule.
     *
     * @throws ParameterException if it is invalid, or if a report file cannot be written; checked before minutes are
     *     spent on measurements
     */
    Schedule schedule(Schedule whenFull, Schedule whenQuick) {
        refuseUnwritable(json);
        refuseUnwritable(html);
        if (json != null && html != null && isSameFile(json, html)) {
            throw wrong("--json and --html name the same file, " + html + ": one would overwrite the other");
        }
        try {
            Schedule schedule = quick ? whenQuick : whenFull;
            if (seconds != null) {
                schedule = schedule.withTurn(Duration.ofNanos(Math.round(seconds * 1e9)));
            }
            return rounds == null ? schedule : schedule.withRounds(rounds);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Runs the suite, or the selected workloads, and writes all reports.
     *
     * @param server starts the servers of the suite and describes them; called after all options are checked
     * @throws ParameterException if a workload is unknown or the schedule does not suit one
     */
    int run(Suite whole, Schedule schedule, Supplier<String> server) throws InterruptedException, IOException {
        Suite suite = chosen(whole, schedule);
        RunDescription facts = RunDescription.here(Instant.now(), commandLine(), server.get());
        Schedule left = schedule.leftFor(suite.partOf(whole));
        // Colours are enabled only on a terminal.
        boolean terminal = spec.commandLine().getColorScheme().ansi().enabled();
        ConsoleProgress progress = new ConsoleProgress(
                spec.commandLine().getErr(), terminal, suite.all().size());
        SuiteResult result = new SuiteRunner(left, progress).run(suite);
        progress.done();
        new TextReport(spec.commandLine().getOut()).write(result);
        if (json != null) {
            Files.writeString(json, JsonReport.of(result, facts));
        }
        if (html != null) {
            Files.writeString(html, HtmlReport.of(result, facts));
        }
        if (!result.isSound()) {
            spec.commandLine()
                    .getErr()
                    .println("interlock: an Interlock contender failed or lost updates; see the table");
            return CommandLine.ExitCode.SOFTWARE;
        }
        return CommandLine.ExitCode.OK;
    }

    private Suite chosen(Suite whole, Schedule schedule) {
        try {
            Suite small = quick ? whole.withoutScalingRuns() : whole;
            Suite suite = only.isEmpty() ? small : whole.only(only);
            suite.check(schedule);
            return suite;
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /** The command line. Quotation marks are restored as far as necessary, because the shell has removed them. */
    private String commandLine() {
        return "./interlock "
                + spec.root().commandLine().getParseResult().originalArgs().stream()
                        .map(word -> word.matches("[\\w./:,=+@%-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                        .collect(Collectors.joining(" "));
    }

    private static boolean isSameFile(Path one, Path other) {
        try {
            boolean bothExist = Files.exists(one) && Files.exists(other);
            return bothExist
                    ? Files.isSameFile(one, other)
                    : one.toAbsolutePath()
                            .normalize()
                            .equals(other.toAbsolutePath().normalize());
        } catch (IOException e) {
            return false;
        }
    }

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

    /** The exception for invalid arguments. */
    ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
