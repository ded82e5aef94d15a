package dev.interlock.testkit.history;

import java.util.function.LongSupplier;

/**
 * Records the effects of the protected resource, in the order in which they happened.
 *
 * <p>Call it right after the effect, while nothing else can reach the same key of the resource: the order of the log
 * counts as the order of effects, whatever the times are. No two writes to a key may have the same value.
 *
 * <p>A restarted resource has a new number and a new log, and continues with the fences and values of the old one. An
 * effect that survives a kill without being recorded looks like a lost update, so both must survive or neither.
 *
 * @since 0.1.0
 */
public final class ResourceRecorder {
    private final EventLog log;
    private final LongSupplier nanos;

    /** Creates a recorder for the log of a resource with this monotonic clock. */
    public ResourceRecorder(EventLog log, LongSupplier nanos) {
        if (log.writer().role() == EventLog.Role.CLIENT) {
            throw new IllegalArgumentException(log + " is the log of a client: use a Recorder.");
        }
        this.log = log;
        this.nanos = nanos;
    }

    /** Records that a holder raised the fence before it reads, and the fence before that. */
    public void raised(String key, long attempt, long owner, long token, long priorFence, boolean accepted) {
        write(Op.RAISE, phase(accepted), key, attempt, owner, token, 0, 0, priorFence);
    }

    /** Records that a holder read this value, and the fence at that time. */
    public void read(String key, long attempt, long owner, long token, long value, long fence) {
        write(Op.READ, Op.Phase.OK, key, attempt, owner, token, value, 0, fence);
    }

    /**
     * Records that a holder wrote a value derived from a base, whether the write was accepted, and the fence before it.
     */
    public void wrote(
            String key,
            long attempt,
            long owner,
            long token,
            long base,
            long value,
            long priorFence,
            boolean accepted) {
        write(Op.WRITE, phase(accepted), key, attempt, owner, token, base, value, priorFence);
    }

    private static Op.Phase phase(boolean accepted) {
        return accepted ? Op.Phase.OK : Op.Phase.FAIL;
    }

    private void write(
            Op op, Op.Phase phase, String key, long attempt, long owner, long token, long a, long b, long c) {
        log.append(
                Op.header(op, phase, 0, Op.Cause.NONE, log.nameId(key)),
                nanos.getAsLong(),
                attempt,
                owner,
                token,
                a,
                b,
                c);
    }
}
