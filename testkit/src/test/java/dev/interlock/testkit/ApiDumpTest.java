package dev.interlock.testkit;

import dev.interlock.ApiDump;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ApiDumpTest {
    @Test
    void publicApiMatchesTheFileInGit() throws IOException {
        ApiDump.of(Path.of("target/classes")).verify(Path.of("api/interlock-testkit.api"), "testkit");
    }
}
