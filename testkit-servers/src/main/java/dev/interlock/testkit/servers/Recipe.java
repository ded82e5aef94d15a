package dev.interlock.testkit.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** How to set up and start one kind of server process, and how to check whether it is ready. */
interface Recipe {
    /** The server with its version, for messages. */
    String name();

    /** Creates the data of a new server; the folder is empty. */
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

    /** Whether the server answers requests; an exception means not yet. */
    boolean isReady(Path folder, int port) throws IOException;
}
