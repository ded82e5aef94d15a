package dev.interlock.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command line of Interlock.
 *
 * <p>Exit codes: 0 it worked, 1 it did not, 2 it was asked for in a way that cannot be understood.
 */
@Command(
        name = "interlock",
        description = "Distributed locks: a tour of them, and how fast they are.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DemoCommand.class, BenchCommand.class},
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it worked", "1:it failed", "2:the command line is wrong"},
        footer = {"", "'interlock COMMAND --help' says more about a command."})
final class Main {
    private Main() {}

    /** Runs a command and ends the process. */
    public static void main(String... args) {
        System.exit(commandLine().execute(args));
    }

    /** The whole command line, ready to be executed. */
    static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new Main());
        commands.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println("interlock: " + failure);
            failure.printStackTrace(command.getErr());
            return CommandLine.ExitCode.SOFTWARE;
        });
        return commands;
    }
}
