package dev.interlock.testkit.servers;

import java.util.Locale;

/** The only platform for which every server is available. */
final class Platform {
    private Platform() {}

    static void check(String title, String variable) {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch");
        if (!system.equals("linux") || !(processor.equals("amd64") || processor.equals("x86_64"))) {
            throw new MissingServerException(("%s is started on Linux x86-64 only, and this is %s on %s."
                            + " Set %s to the address of a running server.")
                    .formatted(title, system, processor, variable));
        }
    }
}
