package dev.interlock.transactions;

import dev.interlock.ApiDump;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ApiDumpTest {
    @Test
    void publicApiIsTheOneInGit() throws IOException {
        ApiDump.of(Path.of("target/classes")).verify(Path.of("api/interlock-transactions.api"), "transactions");
    }
}
