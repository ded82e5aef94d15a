package dev.interlock.testkit.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The program to run, its working folder, and its additional environment variables.
 *
 * @param arguments the program and its arguments
 * @param variables environment variables to add
 * @param folder the working folder
 * @param log the file for the program's output; it is appended to, so a restart keeps the output of a crash
 * @since 0.1.0
 */
public record Command(List<String> arguments, Map<String, String> variables, Path folder, Path log) {
    public Command {
        arguments = List.copyOf(arguments);
        variables = Map.copyOf(variables);
    }
}
