package dev.interlock.testkit.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** How one kind of server process is set up, started, and asked whether it can be used. */
interface Recipe {
    /** The server with its version, for messages. */
    String name();

    /** Makes the data of a server that has never run; the folder is empty. */
    default void prepare(Path folder, int port) throws IOException {}

    /** The program and its arguments. */
    List<String> command(Path folder, int port);

    /** Whether the program refuses to run as root. */
    default boolean refusesRoot() {
        return false;
    }

    /** Environment variables of the program. */
    default Map<String, String> variables() {
        return Map.of();
    }

    /** Whether requests are answered; an exception means not yet. */
    boolean isReady(Path folder, int port) throws IOException;
}
