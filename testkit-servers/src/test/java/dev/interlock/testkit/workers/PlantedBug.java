package dev.interlock.testkit.workers;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Bugs of a store, to show that the cases detect them. */
enum PlantedBug {
    /** Every process has locks of its own. */
    NO_EXCLUSION {
        @Override
        Backend plantedIn(int port, String namespace) {
            return SocketBackend.connect(
                    port, namespace + "-" + ProcessHandle.current().pid());
        }
    },

    /** Grants last a tenth of the time that the store reports. */
    LEASES_END_EARLY {
        @Override
        Object call(LockStore store, Method method, Object[] arguments) throws ReflectiveOperationException {
            if (arguments[0] instanceof Attempt attempt) {
                return store.attempt(withLeases(attempt, lease -> lease.dividedBy(FACTOR)), 0)
                        .thenApply(PlantedBug::boast);
            }
            if (method.getName().equals("renew")) {
                return store.renew(renewals(arguments[0], lease -> lease.dividedBy(FACTOR)))
                        .thenApply(answers ->
                                answers.stream().map(PlantedBug::boast).toList());
            }
            return method.invoke(store, arguments);
        }
    },

    /** Grants last ten times as long as the store reports. */
    LEASES_NEVER_END {
        @Override
        Object call(LockStore store, Method method, Object[] arguments) throws ReflectiveOperationException {
            if (arguments[0] instanceof Attempt attempt) {
                return store.attempt(withLeases(attempt, lease -> lease.multipliedBy(FACTOR)), 0);
            }
            if (method.getName().equals("renew")) {
                return store.renew(renewals(arguments[0], lease -> lease.multipliedBy(FACTOR)));
            }
            return method.invoke(store, arguments);
        }
    },

    /** A waiter that gives up stays in the queue. */
    WAITERS_STAY {
        @Override
        Object call(LockStore store, Method method, Object[] arguments) throws ReflectiveOperationException {
            return method.getName().equals("withdraw")
                    ? CompletableFuture.completedFuture(List.<Granted>of())
                    : method.invoke(store, arguments);
        }
    };

    private static final int FACTOR = 10;

    /** A backend with this bug. */
    Backend plantedIn(int port, String namespace) {
        return new Buggy(SocketBackend.connect(port, namespace), this);
    }

    Object call(LockStore store, Method method, Object[] arguments) throws ReflectiveOperationException {
        return method.invoke(store, arguments);
    }

    private interface Stretch {
        Duration apply(Duration lease);
    }

    private static Attempt withLeases(Attempt from, Stretch stretch) {
        List<Claim> claims = from.claims().stream()
                .map(it -> new Claim(
                        it.key(), it.mode(), it.permits(), it.capacity(), stretch.apply(it.lease()), it.lockDelay()))
                .toList();
        return new Attempt(
                from.id(),
                claims,
                renewals(from.held(), stretch),
                from.enqueue(),
                from.tokenFloor(),
                from.heartbeatWithin(),
                from.patience(),
                from.label());
    }

    private static List<Renewal> renewals(Object from, Stretch stretch) {
        return ((List<?>) from)
                .stream()
                        .map(Renewal.class::cast)
                        .map(it -> new Renewal(it.grant(), stretch.apply(it.lease()), it.lockDelay()))
                        .toList();
    }

    private static AttemptAnswer boast(AttemptAnswer answer) {
        return answer instanceof AttemptAnswer.All all
                ? new AttemptAnswer.All(all.granted().stream()
                        .map(it -> new Granted(it.grant(), it.lease().multipliedBy(FACTOR)))
                        .toList())
                : answer;
    }

    private static RenewalAnswer boast(RenewalAnswer answer) {
        return answer instanceof RenewalAnswer.Extended extended
                ? new RenewalAnswer.Extended(extended.lease().multipliedBy(FACTOR))
                : answer;
    }

    /** The backend whose store has the bug. */
    private record Buggy(Backend inner, PlantedBug bug) implements Backend {
        @Override
        public String name() {
            return inner.name() + " with " + bug;
        }

        @Override
        public StoreCapabilities capabilities() {
            return inner.capabilities();
        }

        @Override
        public LockStore openLocks(StoreContext context) {
            LockStore store = inner.openLocks(context);
            InvocationHandler handler = (proxy, method, arguments) -> method.getReturnType() == CompletionStage.class
                    ? bug.call(store, method, arguments)
                    : method.invoke(store, arguments);
            return (LockStore)
                    Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, handler);
        }

        @Override
        public void close() {
            inner.close();
        }
    }
}
