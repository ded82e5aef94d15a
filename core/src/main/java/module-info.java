/** Distributed locks with fencing tokens and a loss signal; engine, SPI and the in-memory backend. */
module dev.interlock.core {
    requires static transitive org.jspecify;

    exports dev.interlock;
    exports dev.interlock.lock;
    exports dev.interlock.memory;
    exports dev.interlock.spi;
}
