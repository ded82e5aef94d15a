package dev.interlock.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs random chains of commands on the in-memory store and on {@link StoreModel}. All answers and pushes must be the
 * same.
 *
 * <p>A failure prints its seed and the shortest chain that still fails. Repeat it alone with
 * {@code -Dinterlock.seed=N}. A soak run has a hundred times as many chains.
 */
@Tag("slow")
class LockTableModelTest {
    private static final int CHAINS = 4_000;
    private static final int SOAK_CHAINS = 100 * CHAINS;
    private static final int COMMANDS = 60;

    private static final List<LockKey> KEYS = List.of(LockKey.of("a"), LockKey.of("b"), LockKey.of("c"));
    private static final List<OwnerId> OWNERS =
            List.of(new OwnerId("north", 1), new OwnerId("north", 2), new OwnerId("south", 1), new OwnerId("south", 2));

    @Test
    void storeAnswersLikeTheModel() {
        Long only = Long.getLong("interlock.seed");
        long first = only != null ? only : 1;
        long last = only != null ? only : Boolean.getBoolean("interlock.soak") ? SOAK_CHAINS : CHAINS;
        for (long seed = first; seed <= last; seed++) {
            List<Command> chain = chain(seed);
            if (difference(chain, StoreModel.Flaw.NONE).isPresent()) {
                List<Command> shrunk = shrink(
                        chain, some -> difference(some, StoreModel.Flaw.NONE).isPresent());
                fail("Seed %d; repeat it with -Dinterlock.seed=%d%n%s%n%s"
                        .formatted(
                                seed,
                                seed,
                                listing(shrunk),
                                difference(shrunk, StoreModel.Flaw.NONE).orElseThrow()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void plantedBugIsFoundAndShrunkToAFewCommands(StoreModel.Flaw flaw) {
        for (long seed = 1; seed <= CHAINS; seed++) {
            List<Command> chain = chain(seed);
            if (difference(chain, flaw).isPresent()) {
                List<Command> shrunk =
                        shrink(chain, some -> difference(some, flaw).isPresent());
                assertThat(shrunk).as(listing(shrunk)).hasSizeLessThanOrEqualTo(6);
                return;
            }
        }
        fail("No chain finds the planted bug " + flaw);
    }

    @Test
    void shrinkingRemovesEverythingThatIsNotNeeded() {
        List<Integer> chain = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            chain.add(i);
        }

        assertThat(shrink(chain, some -> some.contains(17) && some.contains(18) && some.contains(71)))
                .containsExactly(17, 18, 71);
    }

    /** Runs a chain on store and model, and returns the first difference. */
    private static Optional<String> difference(List<Command> chain, StoreModel.Flaw flaw) {
        StoreModel model = new StoreModel(flaw);
        List<Granted> pushed = new ArrayList<>();
        LockStore store = InMemoryBackend.create(model::now, 1).openLocks(new Context(new CollectingListener(pushed)));
        for (int i = 0; i < chain.size(); i++) {
            Pair answers = chain.get(i).run(store, model);
            Pair pushes = new Pair(List.copyOf(pushed), model.takePushed());
            pushed.clear();
            for (Pair pair : List.of(answers, pushes)) {
                if (!pair.store().equals(pair.model())) {
                    return Optional.of("Command %d: the store says%n  %s%nand the model%n  %s"
                            .formatted(i + 1, pair.store(), pair.model()));
                }
            }
        }
        return Optional.empty();
    }

    /** Removes ever smaller pieces while the rest still fails, until every remaining element is needed. */
    private static <T> List<T> shrink(List<T> chain, Predicate<List<T>> fails) {
        List<T> shortest = chain;
        for (int piece = Math.max(1, chain.size() / 2); piece >= 1; ) {
            boolean shorter = false;
            for (int from = 0; from < shortest.size(); ) {
                List<T> rest = new ArrayList<>(shortest.subList(0, from));
                rest.addAll(shortest.subList(Math.min(from + piece, shortest.size()), shortest.size()));
                if (fails.test(rest)) {
                    shortest = rest;
                    shorter = true;
                } else {
                    from += piece;
                }
            }
            if (piece > 1) {
                piece /= 2;
            } else if (!shorter) {
                break;
            }
        }
        return shortest;
    }

    private static String listing(List<Command> chain) {
        StringBuilder listing = new StringBuilder();
        for (int i = 0; i < chain.size(); i++) {
            listing.append(i + 1).append(". ").append(chain.get(i)).append('\n');
        }
        return listing.toString();
    }

    // ---- commands -----------------------------------------------------------------------------------------------

    /** The answers of store and model. */
    private record Pair(Object store, Object model) {}

    /**
     * One call, or the passing of time. A command refers to a grant by its owner, its key and its age, never by its
     * number, so that it keeps its meaning when earlier commands are removed.
     */
    private sealed interface Command {
        Pair run(LockStore store, StoreModel model);
    }

    private record GrantRef(OwnerId owner, LockKey key, int before) {
        Grant in(StoreModel model) {
            return model.grantOf(owner, key, before);
        }
    }

    private record Extension(GrantRef grant, Duration lease, Duration lockDelay) {
        Renewal in(StoreModel model) {
            return new Renewal(grant.in(model), lease, lockDelay);
        }
    }

    private record Try(
            OwnerId id,
            List<Claim> claims,
            List<Extension> held,
            boolean enqueue,
            long tokenFloor,
            Duration heartbeatWithin)
            implements Command {
        @Override
        public Pair run(LockStore store, StoreModel model) {
            List<Renewal> renewals = held.stream().map(one -> one.in(model)).toList();
            Attempt attempt = new Attempt(
                    id,
                    claims,
                    renewals,
                    enqueue,
                    tokenFloor,
                    heartbeatWithin,
                    Duration.ofSeconds(5),
                    id.incarnation());
            return new Pair(answer(store.attempt(attempt, 0)), model.attempt(attempt));
        }
    }

    private record KeepWaiting(List<PlaceId> places) implements Command {
        @Override
        public Pair run(LockStore store, StoreModel model) {
            return new Pair(
                    answer(store.keepWaiting(places)),
                    places.stream()
                            .map(place -> model.keepWaiting(place.id(), place.key()))
                            .toList());
        }
    }

    private record Withdraw(OwnerId id, List<LockKey> keys) implements Command {
        @Override
        public Pair run(LockStore store, StoreModel model) {
            return new Pair(answer(store.withdraw(id, keys)), model.withdraw(id, keys));
        }
    }

    private record Renew(List<Extension> extensions) implements Command {
        @Override
        public Pair run(LockStore store, StoreModel model) {
            List<Renewal> renewals =
                    extensions.stream().map(one -> one.in(model)).toList();
            return new Pair(
                    answer(store.renew(renewals)),
                    renewals.stream().map(model::renew).toList());
        }
    }

    private record Release(List<GrantRef> grantRef) implements Command {
        @Override
        public Pair run(LockStore store, StoreModel model) {
            List<Grant> grants = grantRef.stream().map(one -> one.in(model)).toList();
            return new Pair(
                    answer(store.release(grants, 0)),
                    grants.stream().map(model::release).toList());
        }
    }

    private record Force(LockKey key) implements Command {
        @Override
        public Pair run(LockStore store, StoreModel model) {
            return new Pair(answer(store.forceRelease(key)), model.forceRelease(key));
        }
    }

    private record Snapshot(SnapshotQuery query) implements Command {
        @Override
        public Pair run(LockStore store, StoreModel model) {
            return new Pair(answer(store.snapshot(query)), model.snapshot(query, Instant.EPOCH));
        }
    }

    private record Pass(Duration time) implements Command {
        @Override
        public Pair run(LockStore store, StoreModel model) {
            model.pass(time);
            return new Pair(time, time);
        }
    }

    // ---- random commands ----------------------------------------------------------------------------------------

    private static List<Command> chain(long seed) {
        Dice dice = new Dice(seed);
        List<Command> chain = new ArrayList<>(COMMANDS);
        for (int i = 0; i < COMMANDS; i++) {
            chain.add(dice.command());
        }
        return chain;
    }

    /** Chooses random commands. All times are multiples of ten milliseconds, so that moments often coincide. */
    private static final class Dice {
        private final Random random;
        private final LockMode usual;

        Dice(long seed) {
            random = new Random(seed * 0x9E3779B97F4A7C15L);
            usual = any(List.of(LockMode.values()));
        }

        Command command() {
            int roll = random.nextInt(100);
            if (roll < 34) {
                return attempt();
            } else if (roll < 46) {
                return new KeepWaiting(some(() -> new PlaceId(any(OWNERS), any(KEYS))));
            } else if (roll < 52) {
                return new Withdraw(any(OWNERS), keys());
            } else if (roll < 63) {
                return new Renew(some(this::extension));
            } else if (roll < 77) {
                return new Release(some(this::grantRef));
            } else if (roll < 80) {
                return new Force(any(KEYS));
            } else if (roll < 83) {
                Optional<String> after = chance(30) ? Optional.of(any(KEYS).name()) : Optional.empty();
                return new Snapshot(new SnapshotQuery(any(List.of("", "", "b")), after, 1 + random.nextInt(3)));
            }
            return new Pass(millis(10, 10, 30, 50, 70, 100, 150, 200));
        }

        private Command attempt() {
            LockMode mode = chance(70) ? usual : any(List.of(LockMode.values()));
            int capacity = mode == LockMode.PERMITS ? 2 + random.nextInt(2) : 1;
            int permits = mode == LockMode.PERMITS ? 1 + random.nextInt(2) : 1;
            Duration lease = millis(100, 200, 300);
            List<Claim> claims = keys().stream()
                    .map(key -> new Claim(key, mode, permits, capacity, lease, lockDelay()))
                    .toList();
            return new Try(
                    any(OWNERS),
                    claims,
                    chance(15) ? some(this::extension) : List.of(),
                    chance(60),
                    chance(10) ? random.nextInt(100) : 0,
                    millis(70, 150));
        }

        private Extension extension() {
            return new Extension(grantRef(), millis(50, 100, 300), lockDelay());
        }

        private GrantRef grantRef() {
            return new GrantRef(any(OWNERS), any(KEYS), chance(85) ? 0 : 1 + random.nextInt(2));
        }

        /** Returns keys in the lock order, as the engine sends them. */
        private List<LockKey> keys() {
            if (chance(65)) {
                return List.of(any(KEYS));
            }
            LockKey without = any(KEYS);
            return chance(50)
                    ? KEYS
                    : KEYS.stream().filter(key -> !key.equals(without)).toList();
        }

        private Duration lockDelay() {
            return chance(75) ? Duration.ZERO : millis(50, 120);
        }

        private <T> List<T> some(Supplier<T> one) {
            List<T> some = new ArrayList<>();
            do {
                some.add(one.get());
            } while (some.size() < 3 && chance(30));
            return some;
        }

        private Duration millis(int... choices) {
            return Duration.ofMillis(choices[random.nextInt(choices.length)]);
        }

        private boolean chance(int percent) {
            return random.nextInt(100) < percent;
        }

        private <T> T any(List<T> choices) {
            return choices.get(random.nextInt(choices.size()));
        }
    }

    // ---- environment of the store -------------------------------------------------------------------------------

    private static <T> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private record CollectingListener(List<Granted> received) implements StoreListener {
        @Override
        public void granted(Granted granted) {
            received.add(granted);
        }

        @Override
        public void maybeFree(LockKey key) {}

        @Override
        public void sessionLost(LossReason reason) {}

        @Override
        public void reconnected() {}
    }

    /** The store uses only the wall clock of its environment. */
    private record Context(StoreListener listener) implements StoreContext {
        private static final Environment STOPPED = (Environment) Proxy.newProxyInstance(
                Environment.class.getClassLoader(), new Class<?>[] {Environment.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("wall")) {
                        return Instant.EPOCH;
                    }
                    throw new UnsupportedOperationException(method.getName());
                });

        @Override
        public Executor ordinary() {
            return Runnable::run;
        }

        @Override
        public Executor urgent() {
            return Runnable::run;
        }

        @Override
        public Environment environment() {
            return STOPPED;
        }
    }
}
