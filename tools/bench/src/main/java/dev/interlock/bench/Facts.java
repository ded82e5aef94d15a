package dev.interlock.bench;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a run was made with, for those who read its report later and elsewhere. Names no computer.
 *
 * @param at when it began
 * @param command the whole command line
 * @param server name and version; empty if there was none
 * @param java name and version of the virtual machine
 * @param system the operating system and its architecture
 * @param processors how many of them there were
 */
public record Facts(Instant at, String command, String server, String java, String system, int processors) {
    /** Of a run on this computer. */
    public static Facts here(Instant at, String command, String server) {
        return new Facts(
                at,
                command,
                server,
                System.getProperty("java.vm.name") + ' ' + Runtime.version(),
                System.getProperty("os.name") + ' ' + System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors());
    }

    /** By their names, those that there are. */
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
