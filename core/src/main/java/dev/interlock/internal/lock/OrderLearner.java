package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Nestings;
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
 * Learns in which order lock types are nested, and tells of the first time that two orders contradict each other, though nobody may have waited yet.
 *
 * <p>The usual case, that all pairs are known, costs a comparison of bits, however many types are held (up to 16 keys of 64 types); only a new pair of types costs the capture of a stack.
 */
final class OrderLearner {
    /** Types are few, unless names are used as types by mistake. */
    private static final int MOST_TYPES = 4096;

    /** Keys are many: the first pairs of them are remembered, and checked against for ever. */
    private static final int MOST_KEYS = 4096;

    /** With that many pairs of keys, where the next one was seen is no longer captured, unless it contradicts. */
    private static final int KEYS_WITH_PLACE = 256;

    /** Up to so many keys of a set are all compared; of larger ones so many types, … */
    private static final int MOST_OF_A_SET = 16;

    /** … and so many keys of each. */
    private static final int MOST_OF_A_TYPE = 4;

    private final Engine engine;

    /** The first types that were seen, by name; the others have no number and are looked up by name each time. */
    private final Map<String, Integer> numbers = new ConcurrentHashMap<>();

    private final AtomicInteger numbered = new AtomicInteger();

    /** By the number of a type that is waited for: the bits of those that are known to be held then, itself among them. */
    private final AtomicLongArray knownBefore = new AtomicLongArray(HeldTypes.MOST);

    private final Nestings types = new Nestings(MOST_TYPES);
    private final Nestings keys = new Nestings(MOST_KEYS);
    private final List<Inversion> inversions = new CopyOnWriteArrayList<>();

    OrderLearner(Engine engine) {
        this.engine = engine;
    }

    /** The scope is going to wait for some keys while it holds others. */
    void learn(EngineScope scope, List<LockKey> held, List<LockKey> wanted) {
        if (held.size() > MOST_OF_A_SET) {
            learnEach(scope, few(held), few(wanted));
            return;
        }
        HeldTypes heldTypes = scope.typesOf(held, this::numberOf);
        List<LockKey> inner = few(wanted);
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

    /** All pairs of types are known; pairs of keys of the same type may not be. */
    private void learnOfOneType(EngineScope scope, List<LockKey> held, HeldTypes heldTypes, int type, LockKey wanted) {
        for (int i = 0; i < held.size(); i++) {
            if (heldTypes.number(i) == type) {
                learnKeys(scope, held.get(i), wanted);
            }
        }
    }

    private void learnEach(EngineScope scope, List<LockKey> held, List<LockKey> wanted) {
        for (LockKey outer : held) {
            String heldType = engine.typeOf(outer);
            for (LockKey inner : wanted) {
                String wantedType = engine.typeOf(inner);
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
        String type = engine.typeOf(key);
        Integer known = numbers.get(type);
        if (known == null && numbered.get() < HeldTypes.MOST) {
            known = numbers.computeIfAbsent(type, it -> {
                int next = numbered.getAndIncrement();
                return next < HeldTypes.MOST ? next : null;
            });
        }
        return known == null ? HeldTypes.NONE : known;
    }

    /** Keys come in their order, in which those of one type mostly stand together: of each type some, so that a long row of one hides no other. */
    private List<LockKey> few(List<LockKey> keys) {
        if (keys.size() <= MOST_OF_A_SET) {
            return keys;
        }
        Map<String, Integer> counts = new LinkedHashMap<>();
        List<LockKey> few = new ArrayList<>();
        for (LockKey key : keys) {
            int count = counts.merge(engine.typeOf(key), 1, Integer::sum);
            if (count <= MOST_OF_A_TYPE && counts.size() <= MOST_OF_A_SET) {
                few.add(key);
            }
        }
        return few;
    }

    private void learnTypes(EngineScope scope, String heldType, LockKey wanted, String wantedType) {
        if (!types.knows(heldType, wantedType) && !types.ignores(heldType, wantedType)) {
            add(types, new Step(heldType, wantedType, scope.name(), place()), wanted, wantedType);
        }
    }

    private void learnKeys(EngineScope scope, LockKey held, LockKey wanted) {
        if (!held.equals(wanted)
                && !keys.knows(held.name(), wanted.name())
                && !keys.ignores(held.name(), wanted.name())) {
            boolean captured = keys.count() < KEYS_WITH_PLACE || keys.knows(wanted.name(), held.name());
            List<StackTraceElement> at = captured ? place() : List.of();
            add(keys, new Step(held.name(), wanted.name(), scope.name(), at), wanted, engine.typeOf(wanted));
        }
    }

    private void add(Nestings nestings, Step step, LockKey wanted, String type) {
        Inversion inversion = nestings.add(step);
        if (inversion != null) {
            inversions.add(inversion);
            engine.log().log(System.Logger.Level.WARNING, inversion::toString);
            engine.events().orderInverted(wanted, type, inversion);
        }
    }

    private static List<StackTraceElement> place() {
        return LeakGuard.callers();
    }

    LearnedOrder learned() {
        List<Step> steps = new ArrayList<>(types.steps());
        steps.addAll(keys.steps());
        return new LearnedOrder(steps, inversions);
    }
}
