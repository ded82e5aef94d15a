package dev.interlock.bench.redis;

import dev.interlock.bench.Contender;
import dev.interlock.bench.ContenderSource;
import java.time.Duration;
import java.util.List;

/** The contenders of the suite {@code redis} in a separate process, which ends without closing them. */
public final class RedisContenderSource implements ContenderSource {
    /** Every source has a constructor without parameters. */
    public RedisContenderSource() {}

    @Override
    public List<Contender> contenders(String address, Duration lease) {
        return new RedisContenderSet(() -> address, lease).all();
    }
}
