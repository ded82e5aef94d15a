package dev.interlock.cli;

import dev.interlock.cli.demo.DemoPace;
import dev.interlock.cli.demo.DemoTour;
import dev.interlock.cli.demo.Narrator;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the demo. */
@Command(
        name = "demo",
        description = {
            "A half-minute demo of locks, lost leases and fencing. Uses the in-memory store.",
            "",
            "Each line reports what really happened in this run. If a result differs from the",
            "expected one, the demo says so and exits with 1.",
            ""
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class DemoCommand implements Callable<Integer> {
    /** A strong reference: the log manager holds loggers weakly and would drop this one with its level. */
    private static final Logger LOG = Logger.getLogger("dev.interlock");

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--fast", description = "Skips the pauses for reading. Takes a few seconds.")
    private boolean fast;

    @Override
    public Integer call() throws InterruptedException {
        Level before = LOG.getLevel();
        // The demo provokes losses, which are logged as warnings. Its own narration reports them.
        LOG.setLevel(Level.OFF);
        try {
            Ansi ansi = spec.commandLine().getColorScheme().ansi();
            Narrator narrator =
                    new Narrator(spec.commandLine().getOut(), ansi::string, fast ? DemoPace.FAST : DemoPace.READABLE);
            return new DemoTour(narrator).run() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } finally {
            LOG.setLevel(before);
        }
    }
}
