package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.ObservedNesting;
import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LearnedOrder;
import dev.interlock.lock.LearnedOrder.Inversion;
import dev.interlock.lock.LearnedOrder.Step;
import dev.interlock.lock.LockKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Learns in which order lock types are nested, and reports the first time that two orders contradict each other, even
 * if no request has waited yet.
 *
 * <p>If all pairs of types are known, as usual, a check is a comparison of bits, for up to 16 held keys of 64 types.
 * Only a new pair of types costs the capture of a stack.
 */
final class OrderLearner {
    /** Pairs of types. There are few, unless ids are used as types by mistake. */
    private static final int MAX_TYPES = 4096;

    /** Pairs of keys. There can be many: the first ones are remembered and checked from then on. */
    private static final int MAX_KEYS = 4096;

    /** After this many pairs of keys, the stack is only captured for a pair that contradicts another. */
    private static final int KEYS_WITH_STACK = 256;

    /** Keys of a set that are compared. Of a larger set, this many types are compared, … */
    private static final int MAX_OF_A_SET = 16;

    /** … and this many keys of each. */
    private static final int MAX_OF_A_TYPE = 4;

    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final Events events;

    /** The numbers of the first types that were seen. Later types have no number and are looked up by name. */
    private final Map<String, Integer> numbers = new ConcurrentHashMap<>();

    private final AtomicInteger numbered = new AtomicInteger();

    /** Per wanted type: the bits of the types that are known to be held then, the wanted type itself included. */
    private final AtomicLongArray knownBefore = new AtomicLongArray(HeldTypes.MAX_NUMBERS);

    private final ObservedNesting types = new ObservedNesting(MAX_TYPES);
    private final ObservedNesting keys = new ObservedNesting(MAX_KEYS);
    private final List<Inversion> inversions = new CopyOnWriteArrayList<>();

    OrderLearner(EngineRuntime runtime, EngineSettings settings, Events events) {
        this.runtime = runtime;
        this.settings = settings;
        this.events = events;
    }

    /** The scope is about to wait for keys while it holds others. */
    void learn(EngineScope scope, List<LockKey> held, List<LockKey> wanted) {
        if (held.size() > MAX_OF_A_SET) {
            learnEach(scope, sample(held), sample(wanted));
            return;
        }
        HeldTypes heldTypes = scope.typesOf(held, this::numberOf);
        List<LockKey> inner = sample(wanted);
        for (int i = 0; i < inner.size(); i++) {
            LockKey key = inner.get(i);
            int number = numberOf(key);
            if (number == HeldTypes.NONE || !heldTypes.areAmong(knownBefore.get(number))) {
                learnEach(scope, held, List.of(key));
            } else {
                learnOfOneType(scope, held, heldTypes, number, key);
            }
        }
    }

    /** All pairs of types are known, but pairs of keys of the same type may be new. */
    private void learnOfOneType(EngineScope scope, List<LockKey> held, HeldTypes heldTypes, int type, LockKey wanted) {
        for (int i = 0; i < held.size(); i++) {
            if (heldTypes.number(i) == type) {
                learnKeys(scope, held.get(i), wanted);
            }
        }
    }

    private void learnEach(EngineScope scope, List<LockKey> held, List<LockKey> wanted) {
        for (LockKey outer : held) {
            String heldType = settings.typeOf(outer);
            for (LockKey inner : wanted) {
                String wantedType = settings.typeOf(inner);
                if (heldType.equals(wantedType)) {
                    learnKeys(scope, outer, inner);
                } else {
                    learnTypes(scope, heldType, inner, wantedType);
                }
                rememberBits(heldType, wantedType);
            }
        }
    }

    private void rememberBits(String heldType, String wantedType) {
        Integer held = numbers.get(heldType);
        Integer wanted = numbers.get(wantedType);
        if (held != null
                && wanted != null
                && (knownBefore.get(wanted) & 1L << held) == 0
                && (heldType.equals(wantedType) || types.knows(heldType, wantedType))) {
            knownBefore.accumulateAndGet(wanted, 1L << held, (known, one) -> known | one);
        }
    }

    private int numberOf(LockKey key) {
        String type = settings.typeOf(key);
        Integer known = numbers.get(type);
        if (known == null && numbered.get() < HeldTypes.MAX_NUMBERS) {
            known = numbers.computeIfAbsent(type, it -> {
                int next = numbered.getAndIncrement();
                return next < HeldTypes.MAX_NUMBERS ? next : null;
            });
        }
        return known == null ? HeldTypes.NONE : known;
    }

    /** A sample of the keys: some of each type, so that many keys of one type do not hide the others. */
    private List<LockKey> sample(List<LockKey> keys) {
        if (keys.size() <= MAX_OF_A_SET) {
            return keys;
        }
        Map<String, Integer> counts = new LinkedHashMap<>();
        List<LockKey> sampled = new ArrayList<>();
        for (LockKey key : keys) {
            int count = counts.merge(settings.typeOf(key), 1, Integer::sum);
            if (count <= MAX_OF_A_TYPE && counts.size() <= MAX_OF_A_SET) {
                sampled.add(key);
            }
        }
        return sampled;
    }

    private void learnTypes(EngineScope scope, String heldType, LockKey wanted, String wantedType) {
        if (!types.knows(heldType, wantedType) && !types.ignores(heldType, wantedType)) {
            add(types, new Step(heldType, wantedType, scope.name(), callSite()), wanted, wantedType);
        }
    }

    private void learnKeys(EngineScope scope, LockKey held, LockKey wanted) {
        if (!held.equals(wanted)
                && !keys.knows(held.name(), wanted.name())
                && !keys.ignores(held.name(), wanted.name())) {
            boolean captured = keys.count() < KEYS_WITH_STACK || keys.knows(wanted.name(), held.name());
            List<StackTraceElement> at = captured ? callSite() : List.of();
            add(keys, new Step(held.name(), wanted.name(), scope.name(), at), wanted, settings.typeOf(wanted));
        }
    }

    private void add(ObservedNesting nestings, Step step, LockKey wanted, String type) {
        Inversion inversion = nestings.add(step);
        if (inversion != null) {
            inversions.add(inversion);
            runtime.log().log(System.Logger.Level.WARNING, inversion::toString);
            events.orderInverted(wanted, type, inversion);
        }
    }

    private static List<StackTraceElement> callSite() {
        return LeakGuard.callers();
    }

    LearnedOrder learned() {
        List<Step> steps = new ArrayList<>(types.steps());
        steps.addAll(keys.steps());
        return new LearnedOrder(steps, inversions);
    }
}
