package dev.interlock.bench.redis;

import dev.interlock.bench.Contender;
import dev.interlock.bench.ContenderSource;
import java.time.Duration;
import java.util.List;

/** The contenders of the suite {@code redis} in a process of its own, which ends without closing them. */
public final class RedisContenders implements ContenderSource {
    /** Without a parameter, as every source. */
    public RedisContenders() {}

    @Override
    public List<Contender> contenders(String address, Duration lease) {
        return new RedisField(() -> address, lease).all();
    }
}
