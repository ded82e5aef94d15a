package dev.interlock.bench;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a server does for a contender during a turn; nothing is known of a contender without a meter. */
final class ServerUse {
    private final Optional<ServerMeter> meter;
    private ServerMeter.@Nullable Reading before;

    ServerUse(Contender contender) {
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
