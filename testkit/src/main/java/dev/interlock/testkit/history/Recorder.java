package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Writes down what one process asks, hears and does; one per process.
 *
 * <p>Record what is asked before it is asked, and what was heard before acting on it: then a kill at any moment leaves a
 * history that is true. All times are read from one monotonic clock; times of several processes are compared, so on one host
 * use {@code System::nanoTime} in each and record {@link #clockBound} from a handshake.
 *
 * <p>Owners are numbers; make them with {@link #hash} from whatever names the owner. Two holders that exclude each other
 * must have different owners.
 *
 * <p>Thread-safe. Recording never blocks on another thread except when a new name is written.
 */
public final class Recorder {
    private final EventLog log;
    private final LongSupplier nanos;
    private final AtomicLong ids = new AtomicLong();

    /** Records into this log by this monotonic clock. */
    public Recorder(EventLog log, LongSupplier nanos) {
        if (log.writer().role() != EventLog.Role.CLIENT) {
            throw new IllegalArgumentException(
                    log + " is the log of a resource; record into it with a ResourceRecorder.");
        }
        this.log = log;
        this.nanos = nanos;
    }

    /** A number for a name; different names have different numbers for all that a test can tell. */
    public static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ one) * 0x100000001b3L;
        }
        // Zero means nobody.
        hash = LongTable.mix(hash);
        return hash == 0 ? 1 : hash;
    }

    /** An exclusive lock is about to be asked for. */
    public Attempt acquire(String key, long owner, long leaseNanos) {
        return begin(key, owner, LockMode.EXCLUSIVE, 1, 1, leaseNanos);
    }

    /** A shared lock is about to be asked for. */
    public Attempt acquireShared(String key, long owner, long leaseNanos) {
        return begin(key, owner, LockMode.SHARED, 1, 1, leaseNanos);
    }

    /** Some of a number of permits are about to be asked for. */
    public Attempt acquirePermits(String key, long owner, int permits, int capacity, long leaseNanos) {
        if (permits < 1 || permits > capacity) {
            throw new IllegalArgumentException(
                    permits + " permits were asked of " + key + ", which has " + capacity + ".");
        }
        return begin(key, owner, LockMode.PERMITS, permits, capacity, leaseNanos);
    }

    /** A number for a set of keys that are asked for together; see {@link Attempt#inSet}. */
    public long newSet() {
        return newId();
    }

    /** A fault of this kind begins now and is aimed at everything. */
    public Fault faultStarted(String kind) {
        return faultStarted(kind, Faults.EVERYTHING);
    }

    /** A fault of this kind begins now and is aimed at one process. */
    public Fault faultStarted(String kind, int process) {
        Fault fault = new Fault(this, newId(), log.nameId(kind), process);
        fault.write(Op.Phase.INVOKE);
        return fault;
    }

    /** A server came back after a stop or a crash. */
    public void serverRestarted(String server, boolean keptMemory) {
        write(Op.RESTART, Op.Phase.POINT, Op.Cause.of(keptMemory), server, 0, 0, 0, 0);
    }

    /** With all work over, the store says that this key is held. */
    public void heldAtRest(String key, long owner, long token) {
        write(Op.AT_REST, Op.Phase.OK, Op.Cause.YES, key, owner, token, 0, 0);
    }

    /** With all work over, the store says that this key is free. */
    public void freeAtRest(String key) {
        write(Op.AT_REST, Op.Phase.OK, Op.Cause.NO, key, 0, 0, 0, 0);
    }

    /** With all work over, the store could not be asked about this key. Makes the run void. */
    public void unreadableAtRest(String key) {
        write(Op.AT_REST, Op.Phase.UNKNOWN, Op.Cause.NONE, key, 0, 0, 0, 0);
    }

    /** With all work over, the resource has this value. */
    public void finalValue(String key, long value) {
        write(Op.FINAL_READ, Op.Phase.OK, Op.Cause.NONE, key, 0, 0, value, 0);
    }

    /** With all work over, the resource could not be read. Makes the run void. */
    public void finalValueUnreadable(String key) {
        write(Op.FINAL_READ, Op.Phase.UNKNOWN, Op.Cause.NONE, key, 0, 0, 0, 0);
    }

    /** A handshake showed that the clocks of this and the other process differ by at most this much. */
    public void clockBound(int otherProcess, long boundNanos) {
        if (boundNanos < 0) {
            throw new IllegalArgumentException("Clocks cannot differ by at most " + boundNanos + " ns.");
        }
        write(Op.CLOCK_BOUND, Op.Phase.POINT, Op.Cause.NONE, log.writer().name(), 0, 0, otherProcess, boundNanos);
    }

    /** The log this records into. */
    public EventLog log() {
        return log;
    }

    long now() {
        return nanos.getAsLong();
    }

    /** Unique over all processes of the run. */
    private long newId() {
        return (long) log.writer().number() << 40 | ids.incrementAndGet();
    }

    private Attempt begin(String key, long owner, LockMode mode, int permits, int capacity, long leaseNanos) {
        if (leaseNanos <= 0) {
            throw new IllegalArgumentException("A lease of " + leaseNanos + " ns was asked for " + key + ".");
        }
        Attempt attempt =
                new Attempt(this, newId(), log.nameId(key), owner, mode, (long) permits << 32 | capacity, leaseNanos);
        attempt.begin();
        return attempt;
    }

    private void write(Op op, Op.Phase phase, Op.Cause cause, String name, long owner, long token, long a, long b) {
        log.append(Op.header(op, phase, 0, cause, log.nameId(name)), now(), 0, owner, token, a, b, 0);
    }
}
