package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The work of one thread of a process: one unit after the other, each with one or more locks. */
final class ModelTask {
    private static final long MILLI = ModelWorld.MILLI;
    private static final long ANSWER_WITHIN = 150 * MILLI;

    private final ModelProcess process;
    private final ModelWorld world;
    private final String name;
    private final List<String> keys;
    private int unit;
    private boolean stopped;

    ModelTask(ModelProcess process, String name, List<String> keys) {
        this.process = process;
        this.world = process.world;
        this.name = name;
        this.keys = keys;
    }

    void start() {
        process.in(world.between(0, 50) * MILLI, this::next);
    }

    /** Starts no new unit. */
    void stop() {
        stopped = true;
    }

    private void next() {
        unit++;
        if (stopped) {
            return;
        }
        long owner = Recorder.hash(name + "#" + unit);
        double kind = world.random.nextDouble();
        if (kind < 0.5) {
            new Update(owner, keys.get((int) world.between(0, keys.size() - 1))).start();
        } else if (kind < 0.6) {
            hold(owner, "shared", world.chance(0.8) ? LockMode.SHARED : LockMode.EXCLUSIVE, 1);
        } else if (kind < 0.7) {
            hold(owner, "permits", LockMode.PERMITS, (int) world.between(1, 2));
        } else if (kind < 0.88) {
            new SetOfKeys(owner).start();
        } else {
            nested(Recorder.hash("scope " + name));
        }
    }

    private void nextSoon() {
        unit++;
        process.in(world.between(1, 10) * MILLI, this::next);
    }

    /** Runs the action only if its unit is still the present one. */
    private Runnable inUnit(Runnable action) {
        int mine = unit;
        return () -> {
            if (unit == mine) {
                action.run();
            }
        };
    }

    private void later(long max, Runnable action) {
        process.in(world.between(0, max), inUnit(action));
    }

    private long patience() {
        return world.between(50, 600) * MILLI;
    }

    private void hold(long owner, String key, LockMode mode, int permits) {
        ModelHold[] held = new ModelHold[1];
        held[0] = process.acquire(
                key,
                owner,
                mode,
                permits,
                patience(),
                inUnit(() -> {
                    held[0].record.enter();
                    later(60 * MILLI, () -> close(held[0]));
                }),
                inUnit(this::nextSoon));
    }

    private void close(ModelHold held) {
        held.record.exit();
        process.release(held);
        nextSoon();
    }

    /**
     * Acquires two keys in any order, so that deadlocks occur now and then. The owner is the scope of the thread, the
     * same for all such units.
     */
    private void nested(long owner) {
        String first = world.chance(0.5) ? "nested:a" : "nested:b";
        String second = first.equals("nested:a") ? "nested:b" : "nested:a";
        ModelHold[] held = new ModelHold[2];
        held[0] = process.acquire(
                first,
                owner,
                LockMode.EXCLUSIVE,
                1,
                patience(),
                inUnit(() -> later(
                        80 * MILLI,
                        () -> held[1] = process.acquire(
                                second,
                                owner,
                                LockMode.EXCLUSIVE,
                                1,
                                5_000 * MILLI,
                                inUnit(() -> {
                                    process.release(held[1]);
                                    process.release(held[0]);
                                    nextSoon();
                                }),
                                inUnit(() -> {
                                    process.release(held[0]);
                                    nextSoon();
                                })))),
                inUnit(this::nextSoon));
    }

    /** The protected change of a value: raise, read, work, check, write. */
    private final class Update {
        private final long owner;
        private final String key;
        private ModelHold held;

        Update(long owner, String key) {
            this.owner = owner;
            this.key = key;
        }

        void start() {
            held = process.acquire(
                    key,
                    owner,
                    LockMode.EXCLUSIVE,
                    1,
                    patience(),
                    inUnit(this::entered),
                    inUnit(ModelTask.this::nextSoon));
        }

        private void entered() {
            held.record.enter();
            if (world.chance(0.2)) {
                boolean bumped = world.has(PlantedBug.TOKEN_BUMPED_ON_REENTRY);
                held.record.reentered(bumped ? process.store.nextToken(key) : held.record.token(), 2);
                held.record.left(1);
            }
            if (world.has(PlantedBug.READ_BEFORE_RAISE)) {
                read();
                return;
            }
            ask(
                    () -> {
                        process.unfenced.raise(key, held.record);
                        return process.fenced.raise(key, held.record);
                    },
                    raised -> {
                        if (raised) {
                            read();
                        } else {
                            finish();
                        }
                    },
                    this::finish);
        }

        private void read() {
            ask(
                    () -> new long[] {process.fenced.read(key, held.record), process.unfenced.read(key, held.record)},
                    bases -> step((int) world.between(0, world.chance(0.1) ? 15 : 3), bases),
                    this::finish);
        }

        private void step(int left, long[] bases) {
            if (held.state != ModelHold.State.HELD) {
                finish();
            } else if (left > 0) {
                held.record.step();
                later(40 * MILLI, () -> step(left - 1, bases));
            } else {
                check(bases);
            }
        }

        private void check(long[] bases) {
            boolean isHeld = process.isHeld(held);
            held.record.checked(world.now(), isHeld);
            if (isHeld) {
                // The fence protects against everything that happens between the check and the write.
                later(2 * MILLI, () -> write(bases));
            } else {
                finish();
            }
        }

        private void write(long[] bases) {
            if (held.state != ModelHold.State.HELD) {
                finish();
                return;
            }
            long value = world.newValue();
            held.record.write(bases[0], value);
            ask(
                    () -> {
                        process.unfenced.write(key, held.record, bases[1], value);
                        return process.fenced.write(key, held.record, bases[0], value);
                    },
                    accepted -> {
                        if (accepted) {
                            held.record.writeAccepted(bases[0], value);
                        } else {
                            held.record.writeRefused(bases[0], value);
                        }
                        finish();
                    },
                    () -> {
                        held.record.writeUnknown(bases[0], value);
                        finish();
                    });
        }

        private void finish() {
            close(held);
        }
    }

    /** Sends one request to the resource. Without an answer in time, the unit takes another path. */
    private <T> void ask(Supplier<T> request, Consumer<T> answered, Runnable onTimeout) {
        boolean[] done = {false};
        int mine = unit;
        world.call(process, () -> true, request, answer -> {
            if (!done[0] && unit == mine) {
                done[0] = true;
                answered.accept(answer);
            }
        });
        process.in(ANSWER_WITHIN, inUnit(() -> {
            if (!done[0]) {
                done[0] = true;
                onTimeout.run();
            }
        }));
    }

    /** Acquires several keys one after the other, in their order, and releases them if one cannot be acquired. */
    private final class SetOfKeys {
        private final long owner;
        private final long set = process.recorder.newSet();
        private final List<String> wanted;
        private final List<Integer> positions = new ArrayList<>();
        private final List<ModelHold> taken = new ArrayList<>();

        SetOfKeys(long owner) {
            this.owner = owner;
            int leftOut = (int) world.between(0, keys.size() - 1);
            this.wanted = new ArrayList<>(keys);
            wanted.remove(leftOut);
            for (int position = 0; position < wanted.size(); position++) {
                positions.add(position);
            }
            if (world.has(PlantedBug.KEYS_ACQUIRED_IN_LISTED_ORDER)) {
                Collections.shuffle(positions, new Random(world.random.nextLong()));
            }
        }

        void start() {
            take(0);
        }

        private void take(int turn) {
            if (turn == wanted.size()) {
                taken.get(0).record.step();
                later(30 * MILLI, this::releaseAll);
                return;
            }
            int position = positions.get(turn);
            ModelHold[] held = new ModelHold[1];
            held[0] = process.acquire(
                    wanted.get(position),
                    owner,
                    LockMode.EXCLUSIVE,
                    1,
                    patience(),
                    inUnit(() -> {
                        held[0].record.takenInSet(set, position, wanted.size());
                        taken.add(held[0]);
                        take(turn + 1);
                    }),
                    inUnit(this::failed));
            held[0].record.inSet(set, position, wanted.size());
        }

        private void failed() {
            if (world.has(PlantedBug.PART_OF_SET_LEFT_BEHIND)) {
                nextSoon();
            } else {
                releaseAll();
            }
        }

        private void releaseAll() {
            taken.forEach(process::release);
            nextSoon();
        }
    }
}
