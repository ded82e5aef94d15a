package dev.interlock.testkit.history;

/**
 * One injected fault, from start to stop. Made by {@link Recorder#faultStarted}.
 *
 * <p>A fault that was never seen to act proves nothing, so a run with such a kind of fault is void. Thread-safe.
 */
public final class Fault {
    private final Recorder recorder;
    private final long id;
    private final int kind;
    private final int process;

    Fault(Recorder recorder, long id, int kind, int process) {
        this.recorder = recorder;
        this.id = id;
        this.kind = kind;
        this.process = process;
    }

    /** It was seen to have an effect: a proxy dropped something, a process stood still, a server logged it. */
    public void acted() {
        write(Op.Phase.POINT);
    }

    /** It has ended: the network is healed, the process goes on, the server is back. */
    public void stopped() {
        write(Op.Phase.OK);
    }

    void write(Op.Phase phase) {
        recorder.log()
                .append(Op.header(Op.FAULT, phase, 0, Op.Cause.NONE, kind), recorder.now(), id, 0, 0, process, 0, 0);
    }
}
