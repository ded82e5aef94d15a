package dev.interlock.jdbc;

import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.FaultTck;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.transactions.internal.Dialect;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Network faults on MariaDB; {@link MariaDbServerFaultTckTest} has the others. */
@Tag("full")
@Tag("server")
class MariaDbFaultTckTest extends FaultTck {
    @RegisterExtension
    static final FaultDatabase shared = new FaultDatabase(MariaDbServer.shared(), Dialect.MARIADB);

    @Override
    protected Optional<FaultTarget> target(Disturbance disturbance) {
        return switch (disturbance) {
            case NETWORK -> Optional.of(shared);
            case SERVER, CLOCK -> Optional.empty();
        };
    }
}
