/** Locks in Redis: single server, Sentinel and Cluster. */
module dev.interlock.redis {
    requires transitive dev.interlock.core;
    requires transitive lettuce.core;
    requires io.netty.buffer;
    requires io.netty.common;
    requires static org.jspecify;

    exports dev.interlock.redis;
}
