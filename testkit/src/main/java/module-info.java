/** The conformance kit for backends, and a world with a clock and scripts for tests of code that locks. */
module dev.interlock.testkit {
    requires transitive dev.interlock.core;
    requires transitive org.junit.jupiter.api;
    requires org.assertj.core;
    requires static org.jspecify;

    exports dev.interlock.testkit;

    // The cases are package-private; only the test platform calls them.
    opens dev.interlock.testkit to
            org.junit.platform.commons;
}
