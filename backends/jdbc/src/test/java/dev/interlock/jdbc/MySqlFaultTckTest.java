package dev.interlock.jdbc;

import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.FaultTck;
import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.transactions.internal.Dialect;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults of the network, the server and clocks on MySQL. */
@Tag("full")
@Tag("server")
class MySqlFaultTckTest extends FaultTck {
    @RegisterExtension
    static final FaultDatabase shared = new FaultDatabase(MySqlServer.shared(), Dialect.MYSQL);

    @RegisterExtension
    static final FaultDatabase own = new FaultDatabase(MySqlServer.own(), Dialect.MYSQL);

    @RegisterExtension
    static final FaultDatabase stepped = new FaultDatabase(MySqlServer.own().steppableClock(), Dialect.MYSQL);

    @Override
    protected Optional<FaultTarget> target(Disturbance disturbance) {
        return switch (disturbance) {
            case NETWORK -> Optional.of(shared);
            case SERVER -> Optional.of(own);
            case CLOCK -> Optional.of(stepped);
        };
    }
}
