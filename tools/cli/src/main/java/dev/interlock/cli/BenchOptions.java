package dev.interlock.cli;

import dev.interlock.bench.ConsoleProgress;
import dev.interlock.bench.Facts;
import dev.interlock.bench.HtmlReport;
import dev.interlock.bench.JsonReport;
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

/** The options that every suite has, and how a suite is run with them. */
final class BenchOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--quick", description = "Shorter turns, no growths: within 90 seconds.")
    private boolean quick;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "WORKLOAD",
            description = "Only these workloads; \"growth\" stands for all that run in several sizes.")
    private List<String> only = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "How often each contender has its turn.")
    private @Nullable Integer rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "How long a turn takes, for example 0.5.")
    private @Nullable Double seconds;

    @Option(names = "--json", paramLabel = "FILE", description = "Also writes the figures of every round there.")
    private @Nullable Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Also writes a page with tables and plots there.")
    private @Nullable Path html;

    boolean isQuick() {
        return quick;
    }

    /** Whether something else than {@code --quick} was given. */
    boolean isMoreThanQuick() {
        return !only.isEmpty() || rounds != null || seconds != null || json != null || html != null;
    }

    /**
     * How long to run.
     *
     * @throws ParameterException if that cannot be, or if the figures could not be kept: before minutes are spent on them
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
     * Runs the suite, or the workloads of it that were asked for, and writes all reports.
     *
     * @param server starts what the suite needs, and says what that is; not asked before the command line has been understood
     * @throws ParameterException if a workload is unknown or the schedule does not suit one
     */
    int run(Suite whole, Schedule schedule, Supplier<String> server) throws InterruptedException, IOException {
        Suite suite = chosen(whole, schedule);
        Facts facts = Facts.here(Instant.now(), commandLine(), server.get());
        Schedule left = schedule.leftFor(suite.partOf(whole));
        // Where colours are welcome there is a terminal.
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
            spec.commandLine().getErr().println("interlock: a lock of ours failed or lost updates, see the table");
            return CommandLine.ExitCode.SOFTWARE;
        }
        return CommandLine.ExitCode.OK;
    }

    private Suite chosen(Suite whole, Schedule schedule) {
        try {
            Suite small = quick ? whole.withoutGrowths() : whole;
            Suite suite = only.isEmpty() ? small : whole.only(only);
            suite.check(schedule);
            return suite;
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /** As it was typed, as far as that can be known: a shell has taken its quotation marks away. */
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

    /** What is thrown at a command line that cannot be understood. */
    ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
