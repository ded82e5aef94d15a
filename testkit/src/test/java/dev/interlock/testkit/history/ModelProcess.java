package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client process: requests, waits, renews, reports losses, releases. It can be paused and killed.
 *
 * <p>Validity counts from before the request left, minus one percent and two milliseconds.
 */
final class ModelProcess {
    static final long LEASE = 300 * ModelWorld.MILLI;
    static final long POLL = 15 * ModelWorld.MILLI;
    private static final int MAX_TRIES = 30;

    final ModelWorld world;
    final Recorder recorder;
    final ModelStore store;
    final ModelResource fenced;
    final ModelResource unfenced;
    private final Queue<Runnable> deferred = new ArrayDeque<>();
    private final Map<Long, ModelHold> waiting = new HashMap<>();
    private @Nullable RecordedFault slowness;
    private long slowBy;
    private boolean paused;
    private boolean dead;

    ModelProcess(ModelWorld world, Recorder recorder, ModelStore store, ModelResource fenced, ModelResource unfenced) {
        this.world = world;
        this.recorder = recorder;
        this.store = store;
        this.fenced = fenced;
        this.unfenced = unfenced;
    }

    /** Runs the action now, or when the process resumes. */
    void run(Runnable action) {
        if (paused) {
            deferred.add(action);
        } else if (!dead) {
            action.run();
        }
    }

    void in(long delay, Runnable action) {
        world.in(delay, () -> run(action));
    }

    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
        while (!paused && !deferred.isEmpty()) {
            run(deferred.poll());
        }
    }

    /** From now on, each message from or to this process takes this much longer. */
    void slowDown(RecordedFault fault, long by) {
        slowness = fault;
        slowBy = by;
    }

    void speedUp(RecordedFault fault) {
        fault.stopped();
        if (slowness == fault) {
            slowness = null;
            slowBy = 0;
        }
    }

    long slowBy() {
        if (slowness != null) {
            slowness.acted();
        }
        return slowBy;
    }

    boolean dead() {
        return dead;
    }

    void kill() {
        dead = true;
        deferred.clear();
    }

    ModelHold acquire(
            String key, long owner, LockMode mode, int permits, long patience, Runnable onGranted, Runnable onEnded) {
        RecordedAttempt record = switch (mode) {
            case EXCLUSIVE -> recorder.acquire(key, owner, LEASE);
            case SHARED -> recorder.acquireShared(key, owner, LEASE);
            case PERMITS -> recorder.acquirePermits(key, owner, permits, ModelStore.CAPACITY, LEASE);
        };
        ModelHold hold = new ModelHold(record, key, mode, permits, LEASE, onGranted, onEnded);
        waiting.put(owner, hold);
        // The task learns of its hold before anything happens to it.
        in(0, () -> ask(hold));
        in(patience, () -> timeOut(hold));
        return hold;
    }

    boolean isHeld(ModelHold hold) {
        return hold.state == ModelHold.State.HELD && world.now() < hold.validUntil;
    }

    void release(ModelHold hold) {
        hold.state = ModelHold.State.CLOSED;
        hold.record.release();
        long token = hold.record.token();
        boolean[] answered = {false};
        retry(
                answered,
                () -> store.release(hold.claim, token),
                removed -> {
                    if (removed) {
                        hold.record.released();
                    } else {
                        hold.record.wasLost();
                    }
                },
                hold.record::releaseUnknown,
                MAX_TRIES);
    }

    /** The detector has chosen this wait. A late message must not affect the next wait of the same scope. */
    void victim(long owner, long attempt) {
        ModelHold hold = waiting.get(owner);
        if (hold != null && hold.claim.attempt() == attempt && hold.state == ModelHold.State.WAITING) {
            hold.record.deadlockVictim();
            hold.record.cancelled();
            giveUp(hold);
        }
    }

    private void ask(ModelHold hold) {
        if (hold.state != ModelHold.State.WAITING) {
            return;
        }
        long sent = world.now();
        ModelStore.Row row = new ModelStore.Row(hold.claim.attempt(), hold.waitsFor, hold.waitsSince, sent);
        world.call(
                this,
                store::up,
                () -> {
                    if (row.holder() != 0) {
                        store.post(hold.claim.owner(), row);
                    }
                    return store.acquire(hold.claim);
                },
                answer -> answered(hold, sent, answer));
        in(POLL, () -> ask(hold));
    }

    private void answered(ModelHold hold, long sent, ModelStore.Answer answer) {
        if (answer.token() == 0) {
            if (hold.state == ModelHold.State.WAITING) {
                waitFor(hold, answer.holder());
            }
        } else if (hold.state == ModelHold.State.ENDED) {
            hold.record.lateGrant(answer.token());
            returnGrant(hold, answer.token());
        } else if (hold.state == ModelHold.State.WAITING && validity(sent, answer.remaining()) > world.now()) {
            waitFor(hold, 0);
            hold.state = ModelHold.State.HELD;
            hold.validUntil = validity(sent, answer.remaining());
            hold.record.granted(answer.token(), hold.validUntil);
            watchDeadline(hold);
            in(LEASE / 3, () -> renew(hold));
            hold.onGranted.run();
        }
    }

    private long validity(long sent, long lease) {
        long from = world.has(PlantedBug.VALIDITY_COUNTED_FROM_REPLY) ? world.now() : sent;
        return from + lease - lease / 100 - 2 * ModelWorld.MILLI;
    }

    private void waitFor(ModelHold hold, long holder) {
        if (hold.waitsFor == holder) {
            return;
        }
        if (hold.waitsFor != 0) {
            hold.record.waitsNoLongerFor(hold.waitsFor);
        }
        if (holder != 0) {
            hold.record.waitsFor(holder);
        }
        hold.waitsFor = holder;
        hold.waitsSince = world.now();
    }

    private void timeOut(ModelHold hold) {
        if (hold.state == ModelHold.State.WAITING) {
            hold.record.timedOut();
            if (world.has(PlantedBug.WAITER_NOT_REMOVED_ON_TIMEOUT)) {
                hold.onEnded.run();
            } else {
                giveUp(hold);
            }
        }
    }

    private void giveUp(ModelHold hold) {
        waitFor(hold, 0);
        hold.state = ModelHold.State.ENDED;
        boolean[] answered = {false};
        retry(answered, () -> store.withdraw(hold.claim), done -> {}, () -> {}, MAX_TRIES);
        hold.onEnded.run();
    }

    private void returnGrant(ModelHold hold, long token) {
        boolean[] answered = {false};
        retry(answered, () -> store.release(hold.claim, token), done -> {}, () -> {}, MAX_TRIES);
    }

    private void renew(ModelHold hold) {
        if (hold.state != ModelHold.State.HELD) {
            return;
        }
        long sent = world.now();
        int renewal = hold.record.renew();
        world.call(
                this,
                store::up,
                () -> store.renew(hold.claim, hold.record.token()),
                ok -> renewed(hold, renewal, sent, ok));
        in(LEASE / 3, () -> renew(hold));
    }

    private void renewed(ModelHold hold, int renewal, long sent, boolean ok) {
        if (hold.state == ModelHold.State.LOST && ok) {
            // The answer is recorded, but it is too late to rely on it.
            hold.record.renewed(renewal, hold.validUntil);
        }
        if (hold.state != ModelHold.State.HELD) {
            return;
        }
        if (ok) {
            hold.validUntil = Math.max(hold.validUntil, validity(sent, LEASE));
            hold.record.renewed(renewal, hold.validUntil);
        } else {
            hold.record.renewRefused();
            lose(hold);
        }
    }

    private void watchDeadline(ModelHold hold) {
        if (world.has(PlantedBug.LOSS_REPORTED_ONLY_ON_ERROR)) {
            return;
        }
        in(hold.validUntil - world.now(), () -> {
            if (hold.state == ModelHold.State.HELD) {
                if (world.now() >= hold.validUntil) {
                    lose(hold);
                } else {
                    watchDeadline(hold);
                }
            }
        });
    }

    private static void lose(ModelHold hold) {
        hold.state = ModelHold.State.LOST;
        hold.record.lost();
    }

    /** Repeats the request until there is an answer. The first answer counts. */
    private void retry(
            boolean[] answered,
            Supplier<Boolean> request,
            java.util.function.Consumer<Boolean> done,
            Runnable onTimeout,
            int tries) {
        if (answered[0]) {
            return;
        }
        if (tries == 0) {
            answered[0] = true;
            onTimeout.run();
            return;
        }
        world.call(this, store::up, request, answer -> {
            if (!answered[0]) {
                answered[0] = true;
                done.accept(answer);
            }
        });
        in(100 * ModelWorld.MILLI, () -> retry(answered, request, done, onTimeout, tries - 1));
    }
}
