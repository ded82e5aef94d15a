package dev.interlock.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** The output and the exit code of one command. */
record Invocation(int exitCode, String out, String err) {
    static Invocation of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine commandLine =
                Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = commandLine.execute(args);
        return new Invocation(exitCode, out.toString(), err.toString());
    }
}
