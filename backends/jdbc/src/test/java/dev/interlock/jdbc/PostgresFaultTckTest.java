package dev.interlock.jdbc;

import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.FaultTck;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.Dialect;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults of the network, the server and clocks on PostgreSQL. */
@Tag("server")
class PostgresFaultTckTest extends FaultTck {
    @RegisterExtension
    static final FaultDatabase shared = new FaultDatabase(PostgresServer.shared(), Dialect.POSTGRESQL);

    @RegisterExtension
    static final FaultDatabase own = new FaultDatabase(PostgresServer.own(), Dialect.POSTGRESQL);

    @RegisterExtension
    static final FaultDatabase stepped = new FaultDatabase(PostgresServer.own().steppableClock(), Dialect.POSTGRESQL);

    @Override
    protected Optional<FaultTarget> target(Disturbance disturbance) {
        return switch (disturbance) {
            case NETWORK -> Optional.of(shared);
            case SERVER -> Optional.of(own);
            case CLOCK -> Optional.of(stepped);
        };
    }
}
