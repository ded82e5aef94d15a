/** Benchmarks that compare Interlock with a minimal implementation and with other lock libraries. */
module dev.interlock.bench {
    requires HdrHistogram;
    requires com.zaxxer.hikari;
    requires dev.interlock.cli;
    requires dev.interlock.core;
    requires dev.interlock.jdbc;
    requires dev.interlock.redis;
    requires dev.interlock.testkit.servers;
    requires info.picocli;
    requires java.logging;
    requires java.management;
    requires java.sql;
    requires jdk.management;
    requires jmh.core;
    requires lettuce.core;
    requires redisson;
    requires net.javacrumbs.shedlock.core;
    requires net.javacrumbs.shedlock.provider.jdbctemplate;
    requires net.javacrumbs.shedlock.provider.redis.spring;
    requires spring.context;
    requires spring.data.redis;
    requires spring.integration.core;
    requires spring.integration.jdbc;
    requires spring.integration.redis;
    requires spring.jdbc;
    requires spring.tx;
    requires static org.jspecify;

    exports dev.interlock.bench;
    exports dev.interlock.bench.jdbc;
    exports dev.interlock.bench.jmh;
    exports dev.interlock.bench.memory;
    exports dev.interlock.bench.redis;

    // picocli sets the fields of commands by reflection.
    opens dev.interlock.bench.cli to
            info.picocli;

    provides dev.interlock.cli.CommandProvider with
            dev.interlock.bench.cli.BenchCommandProvider;
}
