/** Real servers, network faults and worker processes for tests of code that locks. */
@SuppressWarnings("module") // the bench is compiled after the testkit
module dev.interlock.testkit.servers {
    requires transitive dev.interlock.testkit;
    requires transitive java.sql;
    requires transitive org.junit.jupiter.api;
    requires java.net.http;
    requires org.assertj.core;
    requires org.tukaani.xz;
    requires static org.jspecify;

    exports dev.interlock.testkit.faults;
    exports dev.interlock.testkit.checked;
    exports dev.interlock.testkit.servers;
    exports dev.interlock.testkit.workers;
    // The bench has processes of its own, which must end with it as surely as workers do.
    exports dev.interlock.testkit.process to
            dev.interlock.bench;

    // The cases are package-private; only the test platform calls them.
    opens dev.interlock.testkit.checked to
            org.junit.platform.commons;
    opens dev.interlock.testkit.workers to
            org.junit.platform.commons;
}
