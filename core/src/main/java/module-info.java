/** Distributed locks with fencing tokens and a loss signal; engine, SPI and the in-memory backend. */
@SuppressWarnings("module") // the testkit is compiled after core
module dev.interlock.core {
    requires static transitive org.jspecify;

    exports dev.interlock;
    exports dev.interlock.lock;
    exports dev.interlock.memory;
    exports dev.interlock.spi;
    // The testkit advances its clock while the only thread of a test waits for a lock, see Parking.
    exports dev.interlock.internal.runtime to
            dev.interlock.testkit;
}
