/** Benchmarks of Interlock, side by side with a floor; run by the command line and by JMH. */
module dev.interlock.bench {
    requires HdrHistogram;
    requires dev.interlock.core;
    requires java.management;
    requires jdk.management;
    requires jmh.core;
    requires static org.jspecify;

    exports dev.interlock.bench;
    exports dev.interlock.bench.jmh;
    exports dev.interlock.bench.memory;
}
