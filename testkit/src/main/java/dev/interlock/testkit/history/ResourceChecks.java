package dev.interlock.testkit.history;

import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Checks the resources of a run, and the answers of the resources to clients.
 *
 * <p>Several logs of one role belong to one resource that was restarted, one log after the other. Fences and values
 * continue.
 */
final class ResourceChecks {
    private final Run run;
    private final History history;
    private final Findings findings;
    private final EventTable acceptedValues;
    private final ResourceCheck fenced;
    private final ResourceCheck unfenced;

    ResourceChecks(Run run, Findings findings) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.acceptedValues = new EventTable(history, history.b);
        this.fenced = new ResourceCheck(run, findings, true, acceptedValues);
        this.unfenced = new ResourceCheck(run, findings, false, acceptedValues);
    }

    void check() {
        walk(EventLog.Role.FENCED_RESOURCE, fenced);
        walk(EventLog.Role.UNFENCED_RESOURCE, unfenced);
        long missing = 0;
        for (History.Source source : history.sources()) {
            if (source.writer().role() == EventLog.Role.CLIENT) {
                missing += compareWithClient(source);
            }
        }
        putFigures(missing);
    }

    private void walk(EventLog.Role role, ResourceCheck check) {
        logsOf(role)
                .filter(source -> source.from() < source.to())
                .sorted(Comparator.comparingLong(source -> history.times[source.from()]))
                .forEach(source -> {
                    for (int event = source.from(); event < source.to(); event++) {
                        check.onEvent(event);
                    }
                });
    }

    private Stream<History.Source> logsOf(EventLog.Role role) {
        return history.sources().stream().filter(source -> source.writer().role() == role);
    }

    private boolean has(EventLog.Role role) {
        return logsOf(role).findAny().isPresent();
    }

    private long compareWithClient(History.Source source) {
        long missing = 0;
        for (int event = source.from(); event < source.to(); event++) {
            Op op = Op.of(history.headers[event]);
            boolean ok = Op.Phase.of(history.headers[event]) == Op.Phase.OK;
            if (op == Op.FINAL_READ && ok) {
                fenced.onFinalRead(event);
            } else if (op == Op.CLIENT_WRITE && ok && isMissing(event)) {
                missing++;
                findings.violated(
                        Invariant.H4_NO_LOST_UPDATE,
                        () -> "a write was acknowledged to its client, but the resource does not have it.",
                        event);
            }
        }
        return missing;
    }

    private boolean isMissing(int event) {
        return has(EventLog.Role.FENCED_RESOURCE) && acceptedValues.find(run.key(event), history.b[event]) < 0;
    }

    private void putFigures(long missing) {
        if (has(EventLog.Role.FENCED_RESOURCE)) {
            findings.put(Figure.STALE_REFUSED, fenced.refused());
            findings.put(Figure.STALE_ACCEPTED, fenced.stale());
            findings.put(Figure.LOST_UPDATES, fenced.lost() + missing);
        }
        if (has(EventLog.Role.UNFENCED_RESOURCE)) {
            findings.put(Figure.CONTROL_STALE_ACCEPTED, unfenced.stale());
            findings.put(Figure.CONTROL_LOST_UPDATES, unfenced.lost());
        }
    }
}
