package dev.interlock.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * A workload whose contenders "measure" the given operations per second, turn by turn. -1 is a failure, -2 an
 * unexpected exception. A contender named {@link #UNCLOSABLE} cannot be closed.
 */
class ScriptedWorkload implements BenchWorkload {
    static final String UNCLOSABLE = "unclosable";

    final List<String> turns = new ArrayList<>();
    final List<String> closed = new ArrayList<>();
    private final Map<Contender, List<Integer>> script;
    private final List<Contender> contenders;

    ScriptedWorkload(List<Contender> contenders, List<List<Integer>> opsOfEach) {
        this.contenders = contenders;
        this.script = new HashMap<>();
        for (int i = 0; i < contenders.size(); i++) {
            script.put(contenders.get(i), opsOfEach.get(i));
        }
    }

    static Contender ours() {
        return Contender.ours(ScriptedWorkload::nothing);
    }

    static Contender strict() {
        return Contender.ours("strict", ScriptedWorkload::nothing);
    }

    static Contender floor() {
        return Contender.floor("floor", ScriptedWorkload::nothing);
    }

    static Contender peer(String name) {
        return Contender.peer(name, ScriptedWorkload::nothing);
    }

    private static Locking nothing() {
        throw new IllegalStateException("not opened here");
    }

    /** The time that a turn takes: none. */
    void pass() {}

    @Override
    public String name() {
        return "task";
    }

    @Override
    public String title() {
        return "a \"task\"";
    }

    @Override
    public List<Contender> contenders() {
        return contenders;
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.OPS, Metric.LOST_UPDATES);
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        Iterator<Integer> ops = script.getOrDefault(contender, List.of()).iterator();
        return new ContenderRun() {
            @Override
            public Sample turn(Duration length) {
                pass();
                turns.add(contender.name());
                int next = ops.next();
                if (next == -2) {
                    throw new IllegalStateException("unexpected");
                }
                if (next < 0) {
                    throw new BenchException("gave up", new IllegalStateException("tired"));
                }
                Map<Metric, Double> figures = new EnumMap<>(Metric.class);
                figures.put(Metric.OPS, (double) next);
                figures.put(Metric.LOST_UPDATES, next == 13 ? 1.0 : 0.0);
                return new Sample(figures);
            }

            @Override
            public void close() {
                closed.add(contender.name());
                if (contender.name().equals(UNCLOSABLE)) {
                    throw new IllegalStateException("cannot be closed");
                }
            }
        };
    }
}
