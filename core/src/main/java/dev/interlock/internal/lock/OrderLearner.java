package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Nestings;
import dev.interlock.lock.LearnedOrder;
import dev.interlock.lock.LearnedOrder.Inversion;
import dev.interlock.lock.LearnedOrder.Step;
import dev.interlock.lock.LockKey;
import java.util.ArrayList;
import java.util.List;
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

    /** Of large sets only so many keys are compared. */
    private static final int MOST_OF_A_SET = 16;

    private final Engine engine;
    private final Nestings types = new Nestings(MOST_TYPES);
    private final Nestings keys = new Nestings(MOST_KEYS);
    private final List<Inversion> inversions = new CopyOnWriteArrayList<>();

    OrderLearner(Engine engine) {
        this.engine = engine;
    }

    /** The scope is going to wait for some keys while it holds others. */
    void learn(EngineScope scope, List<LockKey> held, List<LockKey> wanted) {
        int from = Math.max(0, held.size() - MOST_OF_A_SET);
        for (int h = from; h < held.size(); h++) {
            String heldType = engine.typeOf(held.get(h));
            for (int w = 0; w < Math.min(wanted.size(), MOST_OF_A_SET); w++) {
                learn(scope, held.get(h), heldType, wanted.get(w));
            }
        }
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
