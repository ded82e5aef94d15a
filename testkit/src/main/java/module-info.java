/** The conformance kit for backends, a world for tests of code that locks, and the check of recorded histories. */
module dev.interlock.testkit {
    requires transitive dev.interlock.core;
    requires transitive org.junit.jupiter.api;
    requires org.assertj.core;
    requires static org.jspecify;

    exports dev.interlock.testkit;
    exports dev.interlock.testkit.history;

    // The cases are package-private; only the test platform calls them.
    opens dev.interlock.testkit to
            org.junit.platform.commons;
}
