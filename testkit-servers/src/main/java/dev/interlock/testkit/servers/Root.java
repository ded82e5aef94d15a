package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whether we run as root, and how to run a server that refuses to. */
final class Root {
    /** The user that owns nothing. */
    private static final String NOBODY = "65534";

    private static final boolean US = ownerOfOurselves() == 0;

    private Root() {}

    static boolean isUs() {
        return US;
    }

    /** The command line that runs the program as nobody if we are root, or as ourselves if we are not. */
    static List<String> dropped(List<String> program) {
        if (!isUs()) {
            return program;
        }
        List<String> line = new ArrayList<>(
                List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--inh-caps=-all"));
        line.addAll(program);
        return line;
    }

    /** Gives a folder to the user of {@link #dropped}. */
    static void giveAway(Path folder) {
        if (isUs()) {
            Programs.run(List.of("chown", "-R", NOBODY + ":" + NOBODY, folder.toString()), folder);
        }
    }

    private static int ownerOfOurselves() {
        try {
            Path self = Path.of("/proc/self");
            return Files.exists(self) ? (int) Files.getAttribute(self, "unix:uid") : -1;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
