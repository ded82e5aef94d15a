package dev.interlock.bench.cli;

import dev.interlock.cli.Version;
import picocli.CommandLine.Command;

/** The parent command of the benchmark suites. */
@Command(
        name = "bench",
        description = "Measures how fast locks are, compared with other lock libraries.",
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
