package dev.interlock.bench.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Renews held locks after a third of the lease, 500 per call. Thread-safe. */
final class RawRenewal implements AutoCloseable {
    private static final int MAX_PER_CALL = 500;

    private final RawRedis.Script renew;
    private final String leaseMillis;
    private final Map<String, String> held = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer;
    private final Future<?> rounds;

    RawRenewal(RawRedis.Script renew, Duration lease) {
        this.renew = renew;
        this.leaseMillis = Long.toString(lease.toMillis());
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "raw-renewal");
            thread.setDaemon(true);
            return thread;
        });
        long interval = lease.toMillis() / 3;
        this.rounds = timer.scheduleAtFixedRate(this::renewAll, interval, interval, TimeUnit.MILLISECONDS);
    }

    void add(String key, String value) {
        held.put(key, value);
    }

    void remove(String key) {
        held.remove(key);
    }

    private void renewAll() {
        List<String> keys = List.copyOf(held.keySet());
        for (int from = 0; from < keys.size(); from += MAX_PER_CALL) {
            List<String> some = keys.subList(from, Math.min(keys.size(), from + MAX_PER_CALL));
            List<String> values = new ArrayList<>(List.of(leaseMillis));
            some.forEach(key -> values.add(held.getOrDefault(key, "")));
            renew.run(some.toArray(String[]::new), values.toArray(String[]::new));
        }
    }

    @Override
    public void close() {
        rounds.cancel(true);
        timer.shutdownNow();
    }
}
