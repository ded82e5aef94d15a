package dev.interlock.redis;

import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.SoakLoad;
import dev.interlock.testkit.checked.SoakTck;
import dev.interlock.testkit.servers.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class RedisSoakTest extends SoakTck {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @Override
    protected FaultTarget target() {
        return new RedisTarget(redis);
    }

    @Override
    protected SoakLoad load() {
        return SoakLoad.heavy();
    }
}
