package dev.interlock.bench.jmh;

import dev.interlock.bench.BenchException;
import dev.interlock.bench.SuiteResult.Ratio;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the JMH benchmarks of this package with the allocation profiler, each in its own JVM.
 *
 * <p>JMH prints to standard output. Its own command line, {@code org.openjdk.jmh.Main}, works on the same class path.
 * JMH runs its benchmarks one after the other. On a computer whose speed varies, its ratios are less reliable than
 * those of a suite.
 */
public final class JmhRun {
    /** Methods with this prefix measure Interlock. The rest of the name is the variant. */
    private static final String OURS = "interlock";

    private JmhRun() {}

    /**
     * Runs the benchmarks.
     *
     * @param quick whether to use one JVM per benchmark and few iterations
     * @return Interlock's score divided by that of each other method of the same class
     */
    public static List<Ratio> run(boolean quick) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(Pattern.quote(JmhRun.class.getPackageName()) + "\\..*")
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .forks(quick ? 1 : 3)
                .warmupIterations(5)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(quick ? 3 : 5)
                .measurementTime(TimeValue.seconds(1));
        try {
            return ratios(
                    new Runner(options.build()).run().stream().map(Score::of).toList());
        } catch (RunnerException e) {
            throw new BenchException("JMH failed", e);
        }
    }

    static List<Ratio> ratios(Collection<Score> scores) {
        List<Ratio> ratios = new ArrayList<>();
        for (Score ours : scores) {
            for (Score other : scores) {
                if (ours.isOurs() && !other.isOurs() && ours.type().equals(other.type())) {
                    String variant = ours.method().substring(OURS.length());
                    ratios.add(new Ratio(
                            "jmh." + ours.type() + variant + '.' + ours.metric() + ".vs_" + other.method(),
                            ours.value() / other.value()));
                }
            }
        }
        return ratios;
    }

    /**
     * The result of one method.
     *
     * @param type the class name without "Benchmark"
     * @param method the method
     * @param metric ops or ns
     * @param value the score
     */
    record Score(String type, String method, String metric, double value) {
        static Score of(RunResult result) {
            String[] name = result.getParams().getBenchmark().split("\\.", -1);
            return new Score(
                    name[name.length - 2].replace("Benchmark", ""),
                    name[name.length - 1],
                    result.getParams().getMode() == Mode.Throughput ? "ops" : "ns",
                    result.getPrimaryResult().getScore());
        }

        boolean isOurs() {
            return method.startsWith(OURS);
        }
    }
}
