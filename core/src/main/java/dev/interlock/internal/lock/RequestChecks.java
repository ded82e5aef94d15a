package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.AlreadyHeldException;
import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockOrderException;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.OrderPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checks of a request that are made before it reaches the store, and re-entry into a hold of its scope. */
final class RequestChecks {
    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final StoreAccess access;
    private final Holds holds;
    private final Events events;
    private final LeakGuard leaks;
    private final OrderLearner orderLearner;

    RequestChecks(
            EngineRuntime runtime,
            EngineSettings settings,
            StoreAccess access,
            Holds holds,
            Events events,
            LeakGuard leaks,
            OrderLearner orderLearner) {
        this.runtime = runtime;
        this.settings = settings;
        this.access = access;
        this.holds = holds;
        this.events = events;
        this.leaks = leaks;
        this.orderLearner = orderLearner;
    }

    /**
     * What is checked.
     *
     * @param scope the scope that the request belongs to; null for an asynchronous request without one
     */
    record Request(
            List<LockKey> keys,
            RequestOptions options,
            ResolvedSettings settings,
            boolean asSet,
            @Nullable EngineScope scope) {}

    /**
     * Refuses a request that cannot succeed. Returns a lease if the request joins a hold of its scope, otherwise
     * null.
     */
    @Nullable
    LeaseHandle check(Request request) {
        List<LockKey> keys = request.keys();
        if (runtime.isClosed()) {
            throw new InterlockClosedException("This Interlock is closed: open a new one to lock " + keys);
        }
        LockMode mode = request.options().mode();
        if (!access.capabilities().modes().contains(mode)) {
            throw new LockRefusedException(runtime.storeName() + " has no " + mode + " locks");
        }
        if (!request.settings().lockDelay().isZero() && !access.capabilities().lockDelay()) {
            throw new LockRefusedException(
                    runtime.storeName() + " cannot keep a lock closed after a loss: leave lockDelay out");
        }
        Duration lease = request.settings().leaseFor();
        if (access.validUntil(0, lease) <= 0) {
            throw new IllegalArgumentException("leaseFor is " + lease + ", too short for " + runtime.storeName()
                    + ", whose leases may end " + access.capabilities().granularity()
                    + " early: take a longer lease");
        }
        checkDeclared(keys);
        EngineScope scope = request.scope();
        if (scope == null || scope.isEmpty()) {
            return null;
        }
        LeaseHandle joined = joinHeld(request, scope);
        if (joined == null && request.settings().waitAtMostNanos() > 0) {
            checkOrder(request, scope);
        }
        return joined;
    }

    private void checkDeclared(List<LockKey> keys) {
        LockOrder order = settings.order();
        if (order.isClosed()) {
            for (LockKey key : keys) {
                if (order.typeOf(key).isEmpty() && !key.equals(DeadlockMonitor.KEY)) {
                    throw new IllegalArgumentException("\"" + key
                            + "\" is of no declared lock type, and the order is closed: declare its type among "
                            + order.types().stream().map(type -> type.name()).toList());
                }
            }
        }
    }

    // ---- re-entry -----------------------------------------------------------------------------------------------

    private @Nullable LeaseHandle joinHeld(Request request, EngineScope scope) {
        RequestOptions options = request.options();
        for (LockKey key : request.keys()) {
            for (Hold held = scope.holding(key); held != null; held = scope.holding(key)) {
                if (!options.reentrant() || !covers(held, request)) {
                    events.refused(options.claims(request.keys(), request.settings()), 0, Refusal.ORDER);
                    throw new AlreadyHeldException(key, alreadyHeld(key, held, scope, options.reentrant()));
                }
                if (join(held, key, scope)) {
                    LeaseHandle joined = newLease(request, held, scope);
                    joined.begin();
                    return joined;
                }
            }
        }
        return null;
    }

    private LeaseHandle newLease(Request request, Hold held, EngineScope scope) {
        Thread interruptee = request.options().interruptOnLoss() ? Thread.currentThread() : null;
        List<StackTraceElement> acquiredAt =
                leaks.callSite(held.grant(0).owner(), request.keys().get(0));
        return request.asSet()
                ? new HeldSet(leaks.dropped(), held, scope, interruptee, acquiredAt)
                : new HeldLease(leaks.dropped(), held, scope, interruptee, acquiredAt);
    }

    /**
     * Joins a hold of the scope. Another thread may have closed the lease after the hold was found, and the hold may
     * have been passed to another scope: then the request leaves the hold again.
     */
    private boolean join(Hold held, LockKey key, EngineScope scope) {
        if (!held.join()) {
            return false;
        }
        if (scope.holding(key) == held) {
            return true;
        }
        if (held.leaveAndWasLast()) {
            holds.giveUp(held);
        }
        return false;
    }

    private static boolean covers(Hold held, Request request) {
        LockMode wanted = request.options().mode();
        if (wanted == LockMode.PERMITS || held.size() != request.keys().size()) {
            return false;
        }
        for (LockKey key : request.keys()) {
            int index = held.indexOf(key);
            LockMode mode = index < 0 ? LockMode.PERMITS : held.mode(index);
            if (mode != LockMode.EXCLUSIVE && mode != wanted) {
                return false;
            }
        }
        return true;
    }

    private String alreadyHeld(LockKey key, Hold held, EngineScope scope, boolean reentrant) {
        String heldAs = held.claimOn(key).mode() + " for "
                + Duration.ofNanos(held.heldNanos(runtime.now())).toMillis() + " ms";
        String advice = !reentrant
                ? "Pass the lease along, or ask with reentrant() to join it"
                : "It cannot be joined by this request: a shared hold is not widened, permits are not joined,"
                        + " and a set is joined as a whole";
        return "\"" + key + "\" is held already by " + scope + ", " + heldAs + ": waiting for it would never end. "
                + advice;
    }

    // ---- order --------------------------------------------------------------------------------------------------

    private void checkOrder(Request request, EngineScope scope) {
        List<LockKey> held = scope.held();
        if (held.isEmpty()) {
            return;
        }
        List<LockKey> keys = request.keys();
        orderLearner.learn(scope, held, keys);
        OrderPolicy policy = settings.orderPolicy();
        LockKey last = held.get(held.size() - 1);
        if (policy == OrderPolicy.ALLOW || settings.order().compare(keys.get(0), last) > 0) {
            return;
        }
        boolean refuse = policy == OrderPolicy.REFUSE;
        events.orderViolated(request.options().claims(keys, request.settings()), last, scope.name(), refuse);
        String message = "Waiting for \"" + keys.get(0) + "\" while " + scope + " holds \"" + last
                + "\", which comes later in the order, can deadlock. Take both in one request, or in the other order;"
                + " asking without patience is allowed";
        if (refuse) {
            events.refused(request.options().claims(keys, request.settings()), 0, Refusal.ORDER);
            throw new LockOrderException(message);
        }
        runtime.warnOnce(settings.typeOf(keys.get(0)) + " after " + settings.typeOf(last), message);
    }
}
