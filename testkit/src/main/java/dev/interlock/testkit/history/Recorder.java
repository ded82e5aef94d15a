package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Records the requests of one process, their answers and its actions. One per process.
 *
 * <p>Record a request before sending it, and an answer before acting on it. Then a kill at any moment leaves a true
 * history. All times come from one monotonic clock. Times of several processes are compared, so on one host use
 * {@code System::nanoTime} in each process and record {@link #clockBound} from a handshake.
 *
 * <p>Owners are numbers. Derive them with {@link #hash} from the name of the owner. Two holders that exclude each other
 * must have different owners.
 *
 * <p>Thread-safe. Recording blocks on another thread only while a new name is written.
 *
 * @since 0.1.0
 */
public final class Recorder {
    private final EventLog log;
    private final LongSupplier nanos;
    private final AtomicLong ids = new AtomicLong();

    /** Creates a recorder for this log with this monotonic clock. */
    public Recorder(EventLog log, LongSupplier nanos) {
        if (log.writer().role() != EventLog.Role.CLIENT) {
            throw new IllegalArgumentException(log + " is the log of a resource: use a ResourceRecorder.");
        }
        this.log = log;
        this.nanos = nanos;
    }

    /**
     * Returns a number for a name. Different names have different numbers, except for collisions too rare to matter in
     * a test.
     */
    public static long hash(String name) {
        long hash = 0xcbf29ce484222325L;
        for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ one) * 0x100000001b3L;
        }
        // Zero means no owner.
        hash = LongTable.mix(hash);
        return hash == 0 ? 1 : hash;
    }

    /** Records that an exclusive lock is requested. */
    public RecordedAttempt acquire(String key, long owner, long leaseNanos) {
        return begin(key, owner, LockMode.EXCLUSIVE, 1, 1, leaseNanos);
    }

    /** Records that a shared lock is requested. */
    public RecordedAttempt acquireShared(String key, long owner, long leaseNanos) {
        return begin(key, owner, LockMode.SHARED, 1, 1, leaseNanos);
    }

    /** Records that permits are requested. */
    public RecordedAttempt acquirePermits(String key, long owner, int permits, int capacity, long leaseNanos) {
        if (permits < 1 || permits > capacity) {
            throw new IllegalArgumentException(
                    permits + " permits of " + key + " were requested, but its capacity is " + capacity + ".");
        }
        return begin(key, owner, LockMode.PERMITS, permits, capacity, leaseNanos);
    }

    /** Returns a number for a set of keys that are requested together. See {@link RecordedAttempt#inSet}. */
    public long newSet() {
        return newId();
    }

    /** Records the start of a fault of this kind that is aimed at everything. */
    public RecordedFault faultStarted(String kind) {
        return faultStarted(kind, FaultSpans.ALL_PROCESSES);
    }

    /** Records the start of a fault of this kind that is aimed at one process. */
    public RecordedFault faultStarted(String kind, int process) {
        RecordedFault fault = new RecordedFault(this, newId(), log.nameId(kind), process);
        fault.write(Op.Phase.INVOKE);
        return fault;
    }

    /** Records that a server came back after a stop or a crash. */
    public void serverRestarted(String server, boolean keptMemory) {
        write(Op.RESTART, Op.Phase.POINT, Op.Cause.of(keptMemory), server, 0, 0, 0, 0);
    }

    /** Records that the store reports this key as held after all work is over. */
    public void heldAtRest(String key, long owner, long token) {
        write(Op.AT_REST, Op.Phase.OK, Op.Cause.YES, key, owner, token, 0, 0);
    }

    /** Records that the store reports this key as free after all work is over. */
    public void freeAtRest(String key) {
        write(Op.AT_REST, Op.Phase.OK, Op.Cause.NO, key, 0, 0, 0, 0);
    }

    /** Records that the store could not be asked about this key after all work is over. Makes the run void. */
    public void unreadableAtRest(String key) {
        write(Op.AT_REST, Op.Phase.UNKNOWN, Op.Cause.NONE, key, 0, 0, 0, 0);
    }

    /** Records the value of the resource after all work is over. */
    public void finalValue(String key, long value) {
        write(Op.FINAL_READ, Op.Phase.OK, Op.Cause.NONE, key, 0, 0, value, 0);
    }

    /** Records that the resource could not be read after all work is over. Makes the run void. */
    public void finalValueUnreadable(String key) {
        write(Op.FINAL_READ, Op.Phase.UNKNOWN, Op.Cause.NONE, key, 0, 0, 0, 0);
    }

    /** Records the result of a handshake: the clocks of this and the other process differ by at most this much. */
    public void clockBound(int otherProcess, long boundNanos) {
        if (boundNanos < 0) {
            throw new IllegalArgumentException("The clock bound is negative: " + boundNanos + " ns.");
        }
        write(Op.CLOCK_BOUND, Op.Phase.POINT, Op.Cause.NONE, log.writer().name(), 0, 0, otherProcess, boundNanos);
    }

    /** The log of this recorder. */
    public EventLog log() {
        return log;
    }

    long now() {
        return nanos.getAsLong();
    }

    /** Unique across all processes of the run. */
    private long newId() {
        return (long) log.writer().number() << 40 | ids.incrementAndGet();
    }

    private RecordedAttempt begin(String key, long owner, LockMode mode, int permits, int capacity, long leaseNanos) {
        if (leaseNanos <= 0) {
            throw new IllegalArgumentException("The lease for " + key + " is not positive: " + leaseNanos + " ns.");
        }
        RecordedAttempt attempt = new RecordedAttempt(
                this, newId(), log.nameId(key), owner, mode, (long) permits << 32 | capacity, leaseNanos);
        attempt.begin();
        return attempt;
    }

    private void write(Op op, Op.Phase phase, Op.Cause cause, String name, long owner, long token, long a, long b) {
        log.append(Op.header(op, phase, 0, cause, log.nameId(name)), now(), 0, owner, token, a, b, 0);
    }
}
