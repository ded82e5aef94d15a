package dev.interlock.errorprone;

import dev.interlock.ApiDump;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ApiDumpTest {
    @Test
    void publicApiMatchesTheCommittedFile() throws IOException {
        ApiDump.of(Path.of("target/classes"), Set.of("dev.interlock.errorprone"))
                .verify(Path.of("api/interlock-errorprone.api"), "integrations/errorprone");
    }
}
