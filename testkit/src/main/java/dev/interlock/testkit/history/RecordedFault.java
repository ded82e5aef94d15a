package dev.interlock.testkit.history;

/**
 * One injected fault, from start to stop. Created by {@link Recorder#faultStarted}.
 *
 * <p>A fault that was never observed to act proves nothing, so a run with such a kind of fault is void. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RecordedFault {
    private final Recorder recorder;
    private final long id;
    private final int kind;
    private final int process;

    RecordedFault(Recorder recorder, long id, int kind, int process) {
        this.recorder = recorder;
        this.id = id;
        this.kind = kind;
        this.process = process;
    }

    /** Records that the fault had an effect: a proxy dropped something, a process was stopped, a server logged it. */
    public void acted() {
        write(Op.Phase.POINT);
    }

    /** Records that the fault has ended: the network works, the process continues, the server is back. */
    public void stopped() {
        write(Op.Phase.OK);
    }

    void write(Op.Phase phase) {
        recorder.log()
                .append(Op.header(Op.FAULT, phase, 0, Op.Cause.NONE, kind), recorder.now(), id, 0, 0, process, 0, 0);
    }
}
