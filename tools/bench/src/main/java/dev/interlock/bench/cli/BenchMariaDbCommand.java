package dev.interlock.bench.cli;

import dev.interlock.bench.Schedule;
import dev.interlock.bench.jdbc.JdbcSuite;
import dev.interlock.cli.Version;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the suite {@code mariadb}. */
@Command(
        name = "mariadb",
        description = {
            "Locks in MariaDB, compared with a plain upsert, GET_LOCK, Spring Integration and ShedLock.",
            "",
            "Starts the server it needs. Prints tables with ratios, the goals, and lines for scripts:",
            "  RATIO <suite>.<workload>.<metric>.vs_<other> <Interlock's value divided by the other's>",
            "  VALUE <suite>.<workload>.<metric> <Interlock's value>",
            "  UNSURE <name of a ratio that varies too much between the rounds of this run>",
            "A missed goal is not a failure; a lost update is.",
            ""
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class BenchMariaDbCommand implements Callable<Integer> {
    /**
     * They log when servers and pools are ready. Strong references: the log manager holds loggers weakly and would drop
     * these with their levels.
     */
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
        try (JdbcSuite suite = JdbcSuite.mariaDb(options.isQuick())) {
            return options.run(suite.suite(), schedule, suite::start);
        }
    }
}
