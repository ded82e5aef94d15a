/** Real servers, network faults and worker processes for tests of code that locks. */
module dev.interlock.testkit.servers {
    requires transitive dev.interlock.testkit;
    requires transitive java.sql;
    requires transitive org.junit.jupiter.api;
    requires java.net.http;
    requires org.assertj.core;
    requires org.tukaani.xz;
    requires static org.jspecify;

    exports dev.interlock.testkit.faults;
    exports dev.interlock.testkit.servers;
    exports dev.interlock.testkit.workers;

    // The cases are package-private; only the test platform calls them.
    opens dev.interlock.testkit.workers to
            org.junit.platform.commons;
}
