package dev.interlock.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes the result as JSON, with the values of every round. A value that was not measured is null; infinity is the
 * text "inf".
 */
public final class JsonReport {
    private JsonReport() {}

    /** Returns one JSON object. */
    public static String of(SuiteResult result, RunDescription facts) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("suite", result.suite().name());
        root.putAll(facts.named());
        root.put("warm_ups", result.schedule().warmUps());
        root.put("rounds", result.schedule().rounds());
        root.put("turn_seconds", result.schedule().turn().toNanos() / 1e9);
        root.put("workloads", result.workloads().stream().map(JsonReport::of).toList());
        root.put(
                "growths",
                result.suite().scalingRuns().stream().map(JsonReport::of).toList());
        Map<String, Object> ratios = new LinkedHashMap<>();
        result.ratios().forEach(ratio -> ratios.put(ratio.name(), ratio.value()));
        root.put("ratios", ratios);
        root.put(
                "unsure",
                result.ratios().stream()
                        .filter(ratio -> !ratio.sure())
                        .map(SuiteResult.Ratio::name)
                        .toList());
        root.put("goals", result.verdicts().stream().map(JsonReport::of).toList());
        return write(root) + System.lineSeparator();
    }

    private static Map<String, Object> of(WorkloadResult result) {
        Map<String, Object> contenders = new LinkedHashMap<>();
        for (Contender contender : result.workload().contenders()) {
            contenders.put(contender.name(), figures(result, contender));
        }
        Map<String, Object> workload = new LinkedHashMap<>();
        workload.put("name", result.workload().name());
        workload.put("title", result.workload().title());
        workload.put("contenders", contenders);
        return workload;
    }

    private static Map<String, Object> of(ScalingRun scalingRun) {
        Map<String, Object> steps = new LinkedHashMap<>();
        scalingRun
                .steps()
                .forEach(step ->
                        steps.put(Integer.toString(step.size()), step.workload().name()));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", scalingRun.name());
        json.put("title", scalingRun.title());
        json.put("axis", scalingRun.axis());
        json.put("workload_of", steps);
        return json;
    }

    private static Map<String, Object> figures(WorkloadResult result, Contender contender) {
        Map<String, Object> figures = new LinkedHashMap<>();
        result.failureOf(contender.name()).ifPresent(why -> figures.put("failed", why));
        List<Metric> metrics = new ArrayList<>(result.workload().metrics());
        if (!Double.isNaN(result.summary(contender.name(), Metric.CPU_STEAL))) {
            metrics.add(Metric.CPU_STEAL);
        }
        for (Metric metric : metrics) {
            Map<String, Object> figure = new LinkedHashMap<>();
            figure.put("summary", result.summary(contender.name(), metric));
            figure.put(
                    "rounds",
                    Arrays.stream(result.rounds(contender.name(), metric))
                            .boxed()
                            .toList());
            figures.put(metric.id(), figure);
        }
        return figures;
    }

    private static Map<String, Object> of(Goal.Verdict verdict) {
        Map<String, Object> goal = new LinkedHashMap<>();
        goal.put("goal", verdict.goal().sentence());
        goal.put("figure", verdict.figure());
        goal.put("met", verdict.met());
        return goal;
    }

    private static String write(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> quote(String.valueOf(entry.getKey())) + ':' + write(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(JsonReport::write).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof Double number) {
            return write(number.doubleValue());
        }
        return value instanceof Number || value instanceof Boolean ? value.toString() : quote(value.toString());
    }

    /**
     * JSON has no infinity. An infinite share means that a thread starved, which is not the same as a share that was
     * not measured.
     */
    private static String write(double number) {
        if (Double.isInfinite(number)) {
            return quote(number > 0 ? "inf" : "-inf");
        }
        return Double.isNaN(number) ? "null" : Double.toString(number);
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
