package dev.interlock.testkit.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What to run, where, and with which variables on top of those of this process.
 *
 * @param arguments the program and its arguments
 * @param variables environment variables to add
 * @param folder the working folder
 * @param log the file that gets what the program prints; it is appended to, so a restart keeps the story of the crash
 */
public record Command(List<String> arguments, Map<String, String> variables, Path folder, Path log) {
    public Command {
        arguments = List.copyOf(arguments);
        variables = Map.copyOf(variables);
    }
}
