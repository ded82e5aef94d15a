package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.List;

/** All resources of a run, and what clients were told about them. */
final class ResourceChecks {
    private final Run run;
    private final History history;
    private final Findings findings;
    private final EventTable acceptedValues;
    private final List<ResourceCheck> fenced = new ArrayList<>();
    private final List<ResourceCheck> unfenced = new ArrayList<>();

    ResourceChecks(Run run, Findings findings) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.acceptedValues = new EventTable(history, history.b);
    }

    void check() {
        for (History.Source source : history.sources()) {
            if (source.writer().role() != EventLog.Role.CLIENT) {
                walk(source);
            }
        }
        long missing = 0;
        for (History.Source source : history.sources()) {
            if (source.writer().role() == EventLog.Role.CLIENT) {
                missing += compareWithClient(source);
            }
        }
        putFigures(missing);
    }

    private void walk(History.Source source) {
        boolean isFenced = source.writer().role() == EventLog.Role.FENCED_RESOURCE;
        ResourceCheck check = new ResourceCheck(run, findings, isFenced, acceptedValues);
        (isFenced ? fenced : unfenced).add(check);
        for (int event = source.from(); event < source.to(); event++) {
            check.see(event);
        }
    }

    private long compareWithClient(History.Source source) {
        long missing = 0;
        for (int event = source.from(); event < source.to(); event++) {
            Op op = Op.of(history.headers[event]);
            boolean ok = Op.Phase.of(history.headers[event]) == Op.Phase.OK;
            if (op == Op.FINAL_READ && ok) {
                int read = event;
                fenced.forEach(check -> check.seeFinal(read));
            } else if (op == Op.CLIENT_WRITE && ok && isMissing(event)) {
                missing++;
                findings.violated(
                        Invariant.H4_NO_LOST_UPDATE,
                        () -> "a client was told that its write was accepted, but the resource has no such write.",
                        event);
            }
        }
        return missing;
    }

    private boolean isMissing(int event) {
        return !fenced.isEmpty() && acceptedValues.find(run.key(event), history.b[event]) < 0;
    }

    private void putFigures(long missing) {
        if (!fenced.isEmpty()) {
            findings.put(
                    Figure.STALE_REFUSED,
                    fenced.stream().mapToLong(ResourceCheck::refused).sum());
            findings.put(
                    Figure.STALE_ACCEPTED,
                    fenced.stream().mapToLong(ResourceCheck::stale).sum());
            findings.put(
                    Figure.LOST_UPDATES,
                    fenced.stream().mapToLong(ResourceCheck::lost).sum() + missing);
        }
        if (!unfenced.isEmpty()) {
            findings.put(
                    Figure.CONTROL_STALE_ACCEPTED,
                    unfenced.stream().mapToLong(ResourceCheck::stale).sum());
            findings.put(
                    Figure.CONTROL_LOST_UPDATES,
                    unfenced.stream().mapToLong(ResourceCheck::lost).sum());
        }
    }
}
