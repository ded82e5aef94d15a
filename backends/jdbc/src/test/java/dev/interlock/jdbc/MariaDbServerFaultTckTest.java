package dev.interlock.jdbc;

import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.FaultTck;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.transactions.internal.Dialect;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults of the server and clocks on MariaDB; {@link MariaDbFaultTckTest} has those of the network. */
@Tag("full")
@Tag("server")
class MariaDbServerFaultTckTest extends FaultTck {
    @RegisterExtension
    static final FaultDatabase own = new FaultDatabase(MariaDbServer.own(), Dialect.MARIADB);

    @RegisterExtension
    static final FaultDatabase stepped = new FaultDatabase(MariaDbServer.own().steppableClock(), Dialect.MARIADB);

    @Override
    protected Optional<FaultTarget> target(Disturbance disturbance) {
        return switch (disturbance) {
            case NETWORK -> Optional.empty();
            case SERVER -> Optional.of(own);
            case CLOCK -> Optional.of(stepped);
        };
    }
}
