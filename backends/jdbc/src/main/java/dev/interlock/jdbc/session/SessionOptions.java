package dev.interlock.jdbc.session;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/** What both kinds of session locks can be told, checked as it is told. */
final class SessionOptions {
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** Below this a server that ends silent sessions would have to count in less than its whole seconds. */
    private static final Duration LEAST_SILENCE = Duration.ofSeconds(30);

    private String namespace = "";
    private Duration probeEvery = Duration.ofSeconds(1);
    private Duration silence = Duration.ofSeconds(5);
    private boolean createSchema;
    private boolean requireStrict;

    void namespace(String name) {
        Objects.requireNonNull(name, "namespace is null: leave it out to have none");
        if (!name.isEmpty() && !NAMESPACE.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "Namespace \"" + name + "\": choose 1 to 64 of letters, digits, dot, dash and underscore");
        }
        this.namespace = name;
    }

    void probeEvery(Duration interval) {
        Objects.requireNonNull(interval, "probeEvery is null: leave it out for 1 second");
        if (interval.toMillis() < 50 || interval.toMillis() > 10_000) {
            throw new IllegalArgumentException("probeEvery is " + interval + ": choose 0.05 to 10 seconds");
        }
        this.probeEvery = interval;
    }

    void silence(Duration limit) {
        Objects.requireNonNull(limit, "silence is null: leave it out for 5 seconds");
        if (limit.toMillis() < 100 || limit.toMillis() > 60_000) {
            throw new IllegalArgumentException("silence is " + limit + ": choose 0.1 to 60 seconds");
        }
        this.silence = limit;
    }

    void createSchema() {
        this.createSchema = true;
    }

    void requireStrict() {
        this.requireStrict = true;
    }

    String namespace() {
        return namespace;
    }

    Duration probeEvery() {
        return probeEvery;
    }

    Duration silence() {
        return silence;
    }

    boolean createsSchema() {
        return createSchema;
    }

    boolean requiresStrict() {
        return requireStrict;
    }

    /** How long the server hears nothing, at the least, before it ends the session: several probes may fail before. */
    Duration leastSilence() {
        Duration several = probeEvery.plus(silence).multipliedBy(3);
        return several.compareTo(LEAST_SILENCE) > 0 ? several : LEAST_SILENCE;
    }
}
