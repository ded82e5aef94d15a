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
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Learns in which order lock types are nested, and tells of the first time that two orders contradict each other, though nobody may have waited yet.
 *
 * <p>The usual case, a pair that is known, costs some look-ups; only a new pair of types costs the capture of a stack.
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
    private final Nestings types = new Nestings(MOST_TYPES);
    private final Nestings keys = new Nestings(MOST_KEYS);
    private final List<Inversion> inversions = new CopyOnWriteArrayList<>();

    OrderLearner(Engine engine) {
        this.engine = engine;
    }

    /** The scope is going to wait for some keys while it holds others. */
    void learn(EngineScope scope, List<LockKey> held, List<LockKey> wanted) {
        List<LockKey> outer = few(held);
        List<LockKey> inner = few(wanted);
        for (LockKey one : outer) {
            String type = engine.typeOf(one);
            for (LockKey other : inner) {
                learn(scope, one, type, other);
            }
        }
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

    private void learn(EngineScope scope, LockKey held, String heldType, LockKey wanted) {
        String wantedType = engine.typeOf(wanted);
        if (!heldType.equals(wantedType)) {
            if (!types.knows(heldType, wantedType) && !types.ignores(heldType, wantedType)) {
                add(types, new Step(heldType, wantedType, scope.name(), place()), wanted, wantedType);
            }
        } else if (!held.equals(wanted)
                && !keys.knows(held.name(), wanted.name())
                && !keys.ignores(held.name(), wanted.name())) {
            boolean captured = keys.count() < KEYS_WITH_PLACE || keys.knows(wanted.name(), held.name());
            List<StackTraceElement> at = captured ? place() : List.of();
            add(keys, new Step(held.name(), wanted.name(), scope.name(), at), wanted, wantedType);
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
