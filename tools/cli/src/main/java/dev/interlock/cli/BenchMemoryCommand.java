package dev.interlock.cli;

import dev.interlock.bench.Schedule;
import dev.interlock.bench.jmh.JmhRun;
import dev.interlock.bench.memory.MemorySuite;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the suite {@code memory}. */
@Command(
        name = "memory",
        description = {
            "Locks inside one process, against fair locks of java.util.concurrent.",
            "",
            "Prints tables with ratios, what became of the goals, and lines",
            "  RATIO <suite>.<workload>.<metric>.vs_<other> <ours divided by theirs>",
            "  VALUE <suite>.<workload>.<metric> <ours>",
            "  UNSURE <name of a ratio that the rounds of this run do not bear out>",
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

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private BenchOptions options;

    @Option(names = "--jmh", description = "Runs the JMH benchmarks with -prof gc instead; knows only --quick.")
    private boolean jmh;

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (jmh) {
            refuseOptionsThatJmhIgnores();
            JmhRun.run(options.isQuick())
                    .forEach(ratio -> spec.commandLine().getOut().println(ratio.line()));
            return CommandLine.ExitCode.OK;
        }
        Schedule schedule = options.schedule(Schedule.FULL, Schedule.QUICK);
        return options.run(MemorySuite.create(), schedule, () -> "");
    }

    private void refuseOptionsThatJmhIgnores() {
        if (options.isMoreThanQuick()) {
            throw options.wrong(
                    "--jmh goes together with --quick only; for more, run org.openjdk.jmh.Main on the same class path");
        }
    }
}
