package dev.interlock.testkit.history;

import java.util.function.LongSupplier;

/**
 * Writes down what the protected resource did, in the order in which it did it.
 *
 * <p>Call it while nothing else can reach the same key of the resource, right after the effect: the order of the log is taken
 * as the order of effects, whatever the times say. Values are chosen so that no two writes to a key have the same.
 *
 * <p>A resource that is restarted has a new number and a new log, and goes on where the old one ended: with its fences and its
 * values. An effect that outlives a kill but was not written down looks like a lost update, so make both survive or neither.
 */
public final class ResourceRecorder {
    private final EventLog log;
    private final LongSupplier nanos;

    /** Records into the log of a resource by this monotonic clock. */
    public ResourceRecorder(EventLog log, LongSupplier nanos) {
        if (log.writer().role() == EventLog.Role.CLIENT) {
            throw new IllegalArgumentException(log + " is the log of a client; record into it with a Recorder.");
        }
        this.log = log;
        this.nanos = nanos;
    }

    /** A holder showed its token before it reads; the fence was this high before. */
    public void raised(String key, long attempt, long owner, long token, long priorFence, boolean accepted) {
        write(Op.RAISE, phase(accepted), key, attempt, owner, token, 0, 0, priorFence);
    }

    /** A holder read this value, with the fence this high. */
    public void read(String key, long attempt, long owner, long token, long value, long fence) {
        write(Op.READ, Op.Phase.OK, key, attempt, owner, token, value, 0, fence);
    }

    /** A holder wrote a value that it made from a base, and it was taken or refused; the fence was this high before. */
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
