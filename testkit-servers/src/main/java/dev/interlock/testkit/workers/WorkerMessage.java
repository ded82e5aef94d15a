package dev.interlock.testkit.workers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One line between the test and a worker: a number, a verb and named values, for example {@code 7 acquire key=a%3Ab
 * wait=PT1S}.
 *
 * <p>The answer repeats the number of its command; a report of the worker has the number 0.
 */
record WorkerMessage(long id, String verb, Map<String, String> facts) {
    WorkerMessage {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    }

    static WorkerMessage of(String verb) {
        return new WorkerMessage(0, verb, Map.of());
    }

    WorkerMessage with(String name, Object value) {
        Map<String, String> more = new LinkedHashMap<>(facts);
        more.put(name, value.toString());
        return new WorkerMessage(id, verb, more);
    }

    WorkerMessage numbered(long number) {
        return new WorkerMessage(number, verb, facts);
    }

    boolean has(String name) {
        return facts.containsKey(name);
    }

    String text(String name) {
        String value = facts.get(name);
        if (value == null) {
            throw new IllegalArgumentException("The message \"" + this + "\" has no \"" + name + "\".");
        }
        return value;
    }

    long number(String name) {
        return Long.parseLong(text(name));
    }

    int count(String name) {
        return Integer.parseInt(text(name));
    }

    boolean yes(String name) {
        return Boolean.parseBoolean(text(name));
    }

    Duration duration(String name) {
        return Duration.parse(text(name));
    }

    static WorkerMessage parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length < 2 || !words[0].matches("[0-9]{1,18}")) {
            throw new IllegalArgumentException("\"" + line + "\" is not a message");
        }
        Map<String, String> facts = new LinkedHashMap<>();
        Arrays.stream(words).skip(2).forEach(word -> {
            int equals = word.indexOf('=');
            facts.put(word.substring(0, equals), URLDecoder.decode(word.substring(equals + 1), UTF_8));
        });
        return new WorkerMessage(Long.parseLong(words[0]), words[1], facts);
    }

    @Override
    public String toString() {
        return id + " " + verb
                + facts.entrySet().stream()
                        .map(fact -> " " + fact.getKey() + "=" + URLEncoder.encode(fact.getValue(), UTF_8))
                        .collect(Collectors.joining());
    }
}
