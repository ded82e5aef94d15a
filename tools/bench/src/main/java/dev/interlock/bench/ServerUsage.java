package dev.interlock.bench;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the server of a contender does during a turn. Unknown for a contender without a meter. */
final class ServerUsage {
    private final Optional<ServerMeter> meter;
    private ServerMeter.@Nullable Reading before;

    ServerUsage(Contender contender) {
        this.meter = contender.meter();
    }

    void begin() {
        before = meter.map(ServerMeter::read).orElse(null);
    }

    ServerMeter.@Nullable Reading end() {
        ServerMeter.Reading earlier = before;
        return earlier == null
                ? null
                : meter.map(server -> server.read().since(earlier)).orElse(null);
    }
}
