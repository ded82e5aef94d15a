package dev.interlock.cli;

import dev.interlock.bench.Schedule;
import dev.interlock.bench.jdbc.JdbcSuite;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the suite {@code postgres}. */
@Command(
        name = "postgres",
        description = {
            "Locks in PostgreSQL, against a bare upsert, advisory locks, Spring Integration and ShedLock.",
            "",
            "Starts the server it needs. Prints tables with ratios, what became of the goals, and lines",
            "  RATIO <suite>.<workload>.<metric>.vs_<other> <ours divided by theirs>",
            "  VALUE <suite>.<workload>.<metric> <ours>",
            "  UNSURE <name of a ratio that the rounds of this run do not bear out>",
            "for scripts. A goal that is missed is no failure; a lost update is.",
            ""
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class BenchPostgresCommand implements Callable<Integer> {
    /** They tell of servers and pools that are ready. Held here, since the registry of loggers would forget them and their levels. */
    private static final List<Logger> LOUD = Stream.of("dev.interlock", "com.zaxxer", "org.postgresql", "org.mariadb")
            .map(Logger::getLogger)
            .toList();

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private BenchOptions options;

    @Override
    public Integer call() throws InterruptedException, IOException {
        LOUD.forEach(logger -> logger.setLevel(Level.SEVERE));
        Schedule schedule = options.schedule(JdbcSuite.FULL, JdbcSuite.QUICK);
        try (JdbcSuite suite = JdbcSuite.postgres(options.isQuick())) {
            return options.run(suite.suite(), schedule, suite::start);
        }
    }
}
