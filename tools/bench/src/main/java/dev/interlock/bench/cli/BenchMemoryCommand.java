package dev.interlock.bench.cli;

import dev.interlock.bench.Schedule;
import dev.interlock.bench.jmh.JmhRun;
import dev.interlock.bench.memory.MemorySuite;
import dev.interlock.cli.Version;
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
            "Locks inside one process, compared with fair locks of java.util.concurrent.",
            "",
            "Prints tables with ratios, the goals, and lines for scripts:",
            "  RATIO <suite>.<workload>.<metric>.vs_<other> <Interlock's value divided by the other's>",
            "  VALUE <suite>.<workload>.<metric> <Interlock's value>",
            "  UNSURE <name of a ratio that varies too much between the rounds of this run>",
            "A missed goal is not a failure; a lost update is.",
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

    @Option(names = "--jmh", description = "Runs the JMH benchmarks with -prof gc instead. Accepts only --quick.")
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
                    "--jmh can be combined only with --quick; for other options, run org.openjdk.jmh.Main on the same"
                            + " class path");
        }
    }
}
