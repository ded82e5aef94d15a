/** Conformance tests for backends, a simulated world for tests of code that uses locks, and the history checker. */
module dev.interlock.testkit {
    requires transitive dev.interlock.core;
    requires transitive org.junit.jupiter.api;
    requires org.assertj.core;
    requires static org.jspecify;

    exports dev.interlock.testkit;
    exports dev.interlock.testkit.history;

    // The cases are package-private. Only the JUnit platform calls them.
    opens dev.interlock.testkit to
            org.junit.platform.commons;
}
