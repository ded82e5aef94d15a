package dev.interlock.testkit.history;

import java.util.Locale;

/** Formats events as readable lines: relative time, process, operation, key, owner, token. */
final class EventText {
    private final Run run;

    EventText(Run run) {
        this.run = run;
    }

    static String duration(long nanos) {
        return String.format(Locale.ROOT, "%,.3f ms", nanos / 1e6);
    }

    String line(int event) {
        History history = run.history;
        long header = history.headers[event];
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%s  %-12s %-26s %s",
                time(history.times[event]),
                history.processName(event),
                operation(header),
                run.keyName(event)));
        if (history.owners[event] != 0) {
            line.append("  owner ").append(owner(event));
        }
        if (history.tokens[event] != 0) {
            line.append("  token ").append(history.tokens[event]);
        }
        return line.append(details(event)).toString();
    }

    String owner(int event) {
        return scope(run.history.owners[event]);
    }

    /** Eight digits distinguish the owners of one run. */
    static String scope(long owner) {
        return String.format(Locale.ROOT, "%08x", (owner >>> 32) ^ (owner & 0xFFFF_FFFFL));
    }

    String time(long nanos) {
        return String.format(Locale.ROOT, "%+.6f s", (nanos - run.firstNanos) / 1e9);
    }

    private static String operation(long header) {
        Op op = Op.of(header);
        Op.Cause cause = Op.Cause.of(header);
        String end = switch (Op.Phase.of(header)) {
            case POINT -> op == Op.FAULT ? " acted" : "";
            case INVOKE -> op == Op.FAULT ? " started" : " requested";
            case OK -> op == Op.FAULT ? " stopped" : op == Op.ACQUIRE ? " granted" : " ok";
            case FAIL -> " refused";
            case UNKNOWN -> " unknown";
        };
        return op.description
                + end
                + (cause == Op.Cause.NONE ? "" : " (" + cause.name().toLowerCase(Locale.ROOT) + ")");
    }

    private String details(int event) {
        History history = run.history;
        Op.Phase phase = Op.Phase.of(history.headers[event]);
        return switch (Op.of(history.headers[event])) {
            case ACQUIRE, RENEW -> phase == Op.Phase.OK ? "  valid until " + time(history.a[event]) : "";
            case CHECK -> "  asked at " + time(history.a[event]);
            case REENTER, LEAVE -> "  depth " + history.b[event];
            case SET_MEMBER, SET_TAKEN ->
                "  position " + (history.b[event] >>> 32) + " of " + (history.b[event] & 0xFFFF_FFFFL);
            case WAIT_BEGIN, WAIT_END -> "  holder " + scope(history.a[event]);
            case RAISE -> "  fence before " + history.c[event];
            case READ -> "  value " + history.a[event] + "  fence " + history.c[event];
            case WRITE ->
                "  base " + history.a[event] + "  value " + history.b[event] + "  fence before " + history.c[event];
            case CLIENT_WRITE -> "  base " + history.a[event] + "  value " + history.b[event];
            case FINAL_READ -> "  value " + history.a[event];
            default -> "";
        };
    }
}
