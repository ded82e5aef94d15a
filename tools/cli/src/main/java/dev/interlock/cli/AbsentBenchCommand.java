package dev.interlock.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Takes the place of {@code bench} when the benchmarks are not on the class path, so that the help still lists it. */
@Command(name = "bench", description = "Measures how fast locks are, compared with other lock libraries.")
final class AbsentBenchCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Unmatched
    @SuppressWarnings("unused") // accepts every argument, so that the message below is the one the user sees
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() {
        spec.commandLine()
                .getErr()
                .println("interlock: the benchmarks are not on the class path; run './interlock bench' in a checkout");
        return CommandLine.ExitCode.USAGE;
    }
}
