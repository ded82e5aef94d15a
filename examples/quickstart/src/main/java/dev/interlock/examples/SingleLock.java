package dev.interlock.examples;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.redis.RedisBackend;
import dev.interlock.testkit.servers.RedisServer;

/** One lock in Redis, wanted by two processes. */
public final class SingleLock {
    private SingleLock() {}

    public static void main(String[] args) {
        try (RedisServer redis = RedisServer.own()) {
            redis.start();
            try (Interlock shop = Interlock.over(RedisBackend.connect(redis.uri()));
                    Interlock warehouse = Interlock.over(RedisBackend.connect(redis.uri()))) {
                run(shop.locks(), warehouse.locks());
            }
        }
    }

    private static void run(Locks shop, Locks warehouse) {
        LockKey key = LockKey.of("inventory", "sku-1");

        try (Lease lease = shop.acquire(key)) { // waits at most 5 s
            System.out.println("The shop holds " + lease.key() + " for "
                    + lease.remaining().toSeconds() + " s");
            System.out.println(
                    "The warehouse gets it: " + warehouse.tryAcquire(key).isPresent());
        }
        boolean ran = warehouse.tryRun(key, lease -> System.out.println("Released; now the warehouse holds it"));
        System.out.println("The warehouse got it: " + ran);
    }
}
