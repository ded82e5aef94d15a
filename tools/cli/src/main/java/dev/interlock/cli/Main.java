package dev.interlock.cli;

import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The {@code interlock} command.
 *
 * <p>Exit codes: 0 for success, 1 for failure, 2 for invalid arguments.
 */
@Command(
        name = "interlock",
        description = "Distributed locks for Java: a guided demo and benchmarks.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = DemoCommand.class,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success", "1:failure", "2:invalid arguments"},
        footer = {"", "Run 'interlock COMMAND --help' for the options of a command."})
public final class Main {
    private Main() {}

    /** Runs a command and ends the process. */
    public static void main(String... args) {
        System.exit(commandLine().execute(args));
    }

    /** Returns a command line with all commands on the class path. */
    public static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new Main());
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
            commands.addSubcommand(provider.command());
        }
        if (!commands.getSubcommands().containsKey("bench")) {
            commands.addSubcommand(new AbsentBenchCommand());
        }
        commands.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println("interlock: " + failure);
            failure.printStackTrace(command.getErr());
            return CommandLine.ExitCode.SOFTWARE;
        });
        return commands;
    }
}
