package dev.interlock.jdbc;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Cases of one kind of fault: each has a run of its own on a database that they share. */
abstract class FaultCases {
    private final FaultDatabase on;

    @SuppressWarnings("NullAway.Init") // before each case
    FaultRun run;

    FaultCases(FaultDatabase on) {
        this.on = on;
    }

    @BeforeEach
    void begin() {
        run = new FaultRun(on);
    }

    @AfterEach
    void end() throws Exception {
        run.close();
    }
}
