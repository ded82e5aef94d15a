package dev.interlock.bench;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Describes a run for readers of its report. Does not name the computer.
 *
 * @param at the start
 * @param command the whole command line
 * @param server name and version; empty if there was none
 * @param java name and version of the JVM
 * @param system operating system and architecture
 * @param processors the number of processors
 */
public record RunDescription(Instant at, String command, String server, String java, String system, int processors) {
    /** Describes a run on this computer. */
    public static RunDescription here(Instant at, String command, String server) {
        return new RunDescription(
                at,
                command,
                server,
                System.getProperty("java.vm.name") + ' ' + Runtime.version(),
                System.getProperty("os.name") + ' ' + System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors());
    }

    /** The facts by name, without empty ones. */
    Map<String, Object> named() {
        Map<String, Object> named = new LinkedHashMap<>();
        named.put("at", at.toString());
        named.put("command", command);
        if (!server.isEmpty()) {
            named.put("server", server);
        }
        named.put("java", java);
        named.put("system", system);
        named.put("processors", processors);
        return named;
    }
}
