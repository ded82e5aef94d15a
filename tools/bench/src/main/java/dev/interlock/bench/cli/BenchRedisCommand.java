package dev.interlock.bench.cli;

import dev.interlock.bench.Schedule;
import dev.interlock.bench.redis.RedisSuite;
import dev.interlock.cli.Version;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the suite {@code redis}. */
@Command(
        name = "redis",
        description = {
            "Locks in Redis, compared with plain Lettuce scripts, Redisson, Spring Integration and ShedLock.",
            "",
            "Starts the servers it needs. Prints tables with ratios, the goals, and lines for scripts:",
            "  RATIO <suite>.<workload>.<metric>.vs_<other> <Interlock's value divided by the other's>",
            "  VALUE <suite>.<workload>.<metric> <Interlock's value>",
            "  UNSURE <name of a ratio that varies too much between the rounds of this run>",
            "A missed goal is not a failure; a lost update is.",
            ""
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false)
final class BenchRedisCommand implements Callable<Integer> {
    /**
     * They log when servers are ready and when connections are closed twice. Failures reach the report. Strong
     * references: the log manager holds loggers weakly and would drop these with their levels.
     */
    private static final List<Logger> LOUD = Stream.of("dev.interlock.testkit", "io.lettuce", "io.netty")
            .map(Logger::getLogger)
            .toList();

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private BenchOptions options;

    @Override
    public Integer call() throws InterruptedException, IOException {
        LOUD.forEach(logger -> logger.setLevel(Level.SEVERE));
        Schedule schedule = options.schedule(RedisSuite.FULL, RedisSuite.QUICK);
        try (RedisSuite redis = RedisSuite.create(options.isQuick())) {
            return options.run(redis.suite(), schedule, redis::start);
        }
    }
}
