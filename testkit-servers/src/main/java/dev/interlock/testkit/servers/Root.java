package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whether this process runs as root, and how to run a server that refuses to. */
final class Root {
    /** The id of the user without privileges. */
    private static final String UNPRIVILEGED = "65534";

    private static final boolean IS_ROOT = currentUser() == 0;

    private Root() {}

    static boolean isRoot() {
        return IS_ROOT;
    }

    /**
     * The command line that runs the program as a user without privileges if this process is root, or as the current
     * user otherwise.
     */
    static List<String> dropped(List<String> program) {
        if (!isRoot()) {
            return program;
        }
        List<String> line = new ArrayList<>(List.of(
                "setpriv", "--reuid=" + UNPRIVILEGED, "--regid=" + UNPRIVILEGED, "--clear-groups", "--inh-caps=-all"));
        line.addAll(program);
        return line;
    }

    /** Makes the user of {@link #dropped} the owner of a folder. */
    static void changeOwner(Path folder) {
        if (isRoot()) {
            Programs.run(List.of("chown", "-R", UNPRIVILEGED + ":" + UNPRIVILEGED, folder.toString()), folder);
        }
    }

    private static int currentUser() {
        try {
            Path self = Path.of("/proc/self");
            return Files.exists(self) ? (int) Files.getAttribute(self, "unix:uid") : -1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
