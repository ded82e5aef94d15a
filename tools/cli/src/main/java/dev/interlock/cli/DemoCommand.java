package dev.interlock.cli;

import dev.interlock.cli.demo.Narrator;
import dev.interlock.cli.demo.Pace;
import dev.interlock.cli.demo.Tour;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the tour. */
@Command(
        name = "demo",
        description = {
            "A tour of locks, loss and fencing, in memory, in half a minute.",
            "",
            "Everything it tells happens while it runs. Where something does not happen as it",
            "should, it says so and fails.",
            ""
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class DemoCommand implements Callable<Integer> {
    /** Held here, since the registry of loggers would forget it and its level. */
    private static final Logger LOG = Logger.getLogger("dev.interlock");

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--fast", description = "Without pauses for reading: a few seconds.")
    private boolean fast;

    @Override
    public Integer call() throws InterruptedException {
        Level before = LOG.getLevel();
        // The losses that are provoked here are warned of in the log; the tour tells them itself.
        LOG.setLevel(Level.OFF);
        try {
            Ansi ansi = spec.commandLine().getColorScheme().ansi();
            Narrator narrator =
                    new Narrator(spec.commandLine().getOut(), ansi::string, fast ? Pace.FAST : Pace.READABLE);
            return new Tour(narrator).run() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } finally {
            LOG.setLevel(before);
        }
    }
}
