package dev.interlock.jdbc.session;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/** The options of session locks. Each setter checks its value. */
final class SessionOptions {
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** Minimum for the server's limit on idle sessions, which it counts in whole seconds. */
    private static final Duration MIN_IDLE_LIMIT = Duration.ofSeconds(30);

    private String namespace = "";
    private Duration probeEvery = Duration.ofSeconds(1);
    private Duration silenceLimit = Duration.ofSeconds(5);
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

    void silenceLimit(Duration limit) {
        Objects.requireNonNull(limit, "silenceLimit is null: leave it out for 5 seconds");
        if (limit.toMillis() < 100 || limit.toMillis() > 60_000) {
            throw new IllegalArgumentException("silenceLimit is " + limit + ": choose 0.1 to 60 seconds");
        }
        this.silenceLimit = limit;
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

    Duration silenceLimit() {
        return silenceLimit;
    }

    boolean createsSchema() {
        return createSchema;
    }

    boolean requiresStrict() {
        return requireStrict;
    }

    /** The server's limit on an idle session: long enough for several probes to fail. */
    Duration minIdleLimit() {
        Duration several = probeEvery.plus(silenceLimit).multipliedBy(3);
        return several.compareTo(MIN_IDLE_LIMIT) > 0 ? several : MIN_IDLE_LIMIT;
    }
}
