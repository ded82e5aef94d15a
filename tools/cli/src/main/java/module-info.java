/** The command line that the script {@code ./interlock} runs. */
module dev.interlock.cli {
    requires transitive info.picocli;
    requires dev.interlock.core;
    requires java.logging;
    requires static org.jspecify;

    exports dev.interlock.cli;

    // picocli sets the fields of commands by reflection.
    opens dev.interlock.cli to
            info.picocli;

    uses dev.interlock.cli.CommandProvider;
}
