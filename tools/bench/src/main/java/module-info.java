/** Benchmarks of Interlock, side by side with floors and peers; run by the command line and by JMH. */
module dev.interlock.bench {
    requires HdrHistogram;
    requires dev.interlock.core;
    requires dev.interlock.redis;
    requires dev.interlock.testkit.servers;
    requires java.management;
    requires jdk.management;
    requires jmh.core;
    requires lettuce.core;
    requires redisson;
    requires net.javacrumbs.shedlock.core;
    requires net.javacrumbs.shedlock.provider.redis.spring;
    requires spring.context;
    requires spring.data.redis;
    requires spring.integration.core;
    requires spring.integration.redis;
    requires static org.jspecify;

    exports dev.interlock.bench;
    exports dev.interlock.bench.jmh;
    exports dev.interlock.bench.memory;
    exports dev.interlock.bench.redis;
}
