package dev.interlock.simulation;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The in-memory store behind a network that delays, loses and duplicates requests, answers and pushes.
 *
 * <p>The server is the real in-memory store in virtual time. Only the network is simulated.
 */
final class SimulatedStore implements Backend {
    private final World world;
    private final SimulatedProcess process;
    private final InMemoryBackend server;
    private final Network network;
    private final Checks checks;

    /** The current state of the network between the processes and the server. */
    static final class Network {
        Faults faults;
        boolean cut;
        long calls;

        Network(Faults faults) {
            this.faults = faults;
        }
    }

    SimulatedStore(World world, SimulatedProcess process, InMemoryBackend server, Network network, Checks checks) {
        this.world = world;
        this.process = process;
        this.server = server;
        this.network = network;
        this.checks = checks;
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public StoreCapabilities capabilities() {
        return server.capabilities();
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return new Remote(context);
    }

    @Override
    public void close() {}

    private long delay() {
        if (world.chance(network.faults.lateness())) {
            return world.between(1_000_000_000L, 6_000_000_000L);
        }
        return world.between(50_000, 3_000_000);
    }

    private boolean isLost() {
        return network.cut || world.chance(network.faults.loss());
    }

    private final class Remote implements LockStore, StoreContext, StoreListener {
        private final StoreContext context;
        private final LockStore there;

        @SuppressWarnings("this-escape") // the server keeps the listener and calls it only later
        Remote(StoreContext context) {
            this.context = context;
            this.there = server.openLocks(this);
        }

        /** Sends a request and its answer. Each can be lost, late or duplicated. */
        private <T> CompletionStage<T> call(Supplier<CompletionStage<T>> request) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            network.calls++;
            int copies = world.chance(network.faults.duplication()) ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                if (!isLost()) {
                    world.in(delay(), () -> {
                        if (network.cut) {
                            return;
                        }
                        request.get().whenComplete((value, error) -> sendBack(answer, value, error));
                    });
                } else if (world.chance(0.3)) {
                    // Some losses are noticed because the connection breaks.
                    process.in(delay(), () -> answer.completeExceptionally(StoreException.unknown("reset", null)));
                }
            }
            return answer;
        }

        private <T> void sendBack(CompletableFuture<T> answer, T value, Throwable error) {
            if (isLost()) {
                return;
            }
            process.in(delay(), () -> {
                world.record(process.name + " receives " + value + (error == null ? "" : error));
                if (error != null) {
                    answer.completeExceptionally(error);
                } else {
                    answer.complete(value);
                }
            });
        }

        @Override
        public CompletionStage<String> agree(String expected, String proposed) {
            return there.agree(expected, proposed);
        }

        @Override
        public CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
            world.record(process.name + " attempts " + attempt.id() + " " + attempt.claims());
            return call(() -> there.attempt(attempt, 0));
        }

        @Override
        public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
            return call(() -> there.keepWaiting(places));
        }

        @Override
        public CompletionStage<List<Granted>> withdraw(OwnerId id, List<LockKey> keys) {
            world.record(process.name + " withdraws " + id + " " + keys);
            return call(() -> there.withdraw(id, keys));
        }

        @Override
        public CompletionStage<List<RenewalAnswer>> renew(List<Renewal> renewals) {
            renewals.forEach(renewal -> checks.renewalSent(process, renewal.grant()));
            return call(() -> there.renew(renewals));
        }

        @Override
        public CompletionStage<List<ReleaseAnswer>> release(List<Grant> grants, long mayBlockNanos) {
            world.record(process.name + " releases " + grants);
            return call(() -> there.release(grants, 0));
        }

        @Override
        public CompletionStage<LockPage> snapshot(SnapshotQuery query) {
            return call(() -> there.snapshot(query));
        }

        @Override
        public CompletionStage<Integer> forceRelease(LockKey key) {
            return call(() -> there.forceRelease(key));
        }

        @Override
        public CompletionStage<List<WaitReport>> exchange(WaitReportExchange exchange) {
            return call(() -> there.exchange(exchange));
        }

        @Override
        public void close() {}

        @Override
        public void granted(Granted granted) {
            int copies = world.chance(network.faults.duplication()) ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                if (!isLost()) {
                    process.in(delay(), () -> {
                        world.record(process.name + " receives the push " + granted);
                        context.listener().granted(granted);
                    });
                }
            }
        }

        @Override
        public void maybeFree(LockKey key) {
            throw new UnsupportedOperationException("this store pushes grants");
        }

        @Override
        public void sessionLost(LossReason reason) {
            throw new UnsupportedOperationException("this store has no sessions");
        }

        @Override
        public void reconnected() {
            process.in(delay(), () -> context.listener().reconnected());
        }

        @Override
        public StoreListener listener() {
            return this;
        }

        @Override
        public Executor ordinary() {
            return context.ordinary();
        }

        @Override
        public Executor urgent() {
            return context.urgent();
        }

        @Override
        public Environment environment() {
            return context.environment();
        }
    }
}
