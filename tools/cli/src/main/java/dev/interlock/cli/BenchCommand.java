package dev.interlock.cli;

import picocli.CommandLine.Command;

/** Groups the suites of benchmarks. */
@Command(
        name = "bench",
        description = "Measures how fast locks are, side by side with what they could cost at the least.",
        synopsisSubcommandLabel = "SUITE",
        commandListHeading = "Suites:%n",
        subcommands = {
            BenchMemoryCommand.class,
            BenchRedisCommand.class,
            BenchPostgresCommand.class,
            BenchMariaDbCommand.class
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class BenchCommand {}
