/** Distributed locks with fencing tokens and a loss signal; engine, SPI and the in-memory backend. */
@SuppressWarnings("module") // the testkit is compiled after core
module dev.interlock.core {
    requires static transitive org.jspecify;

    exports dev.interlock;
    exports dev.interlock.lock;
    exports dev.interlock.memory;
    exports dev.interlock.spi;
    // The testkit's time goes on while a test's only thread waits for a lock.
    exports dev.interlock.internal.time to
            dev.interlock.testkit;
}
