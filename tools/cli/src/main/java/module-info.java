/** The command line behind the script {@code ./interlock}. */
module dev.interlock.cli {
    requires dev.interlock.bench;
    requires dev.interlock.core;
    requires info.picocli;
    requires java.logging;
    requires static org.jspecify;

    // Commands are filled in by reflection.
    opens dev.interlock.cli to
            info.picocli;
}
