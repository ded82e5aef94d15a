package dev.interlock.redis;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Batches attempts on free locks. Only where one server has all locks.
 *
 * <p>An attempt in a batch takes its locks if they are all free, and otherwise does nothing: it is then sent again
 * alone. If the server refuses the whole call, for example because this user may not use one of the names, every
 * attempt is sent again alone.
 */
final class AttemptBatches implements Batcher.Operation<AttemptBatches.Sending, AttemptAnswer> {
    /**
     * One sending of an attempt. Compared by identity: a repeated attempt is another sending, although the attempts are
     * equal.
     */
    static final class Sending {
        final Attempt attempt;

        Sending(Attempt attempt) {
            this.attempt = attempt;
        }
    }

    private final RedisCalls calls;
    private final UnsentAttempts unsent;
    private final Function<Attempt, CompletableFuture<AttemptAnswer>> sendAlone;

    AttemptBatches(
            RedisCalls calls, UnsentAttempts unsent, Function<Attempt, CompletableFuture<AttemptAnswer>> sendAlone) {
        this.calls = calls;
        this.unsent = unsent;
        this.sendAlone = sendAlone;
    }

    /** Whether an attempt needs nothing but free locks. */
    static boolean accepts(Attempt attempt) {
        return attempt.held().isEmpty()
                && attempt.tokenFloor() == 0
                && RedisCalls.commonLeaseMillis(attempt.claims()) > 0;
    }

    /** The server refused a call of several requests as a whole. One of them may be the reason. */
    static boolean isRefusedAsAWhole(List<?> batch, Throwable error) {
        return batch.size() > 1
                && RedisErrors.cause(error) instanceof StoreException refusal
                && refusal.kind() == StoreException.Kind.REFUSED;
    }

    @Override
    public int locks(Sending sending) {
        return sending.attempt.claims().size();
    }

    @Override
    public boolean canShareCall(Sending first, Sending other) {
        return lease(first).equals(lease(other));
    }

    private static Duration lease(Sending sending) {
        return sending.attempt.claims().get(0).lease();
    }

    @Override
    public ScriptCall call(List<Batcher.Pending<Sending, AttemptAnswer>> batch) {
        if (batch.size() > 1) {
            return calls.attemptBatch(batch, pending -> pending.request().attempt);
        }
        Attempt attempt = batch.get(0).request().attempt;
        return calls.attempt(0, attempt, attempt.claims(), List.of());
    }

    @Override
    public void succeeded(List<Batcher.Pending<Sending, AttemptAnswer>> batch, Object reply) {
        if (batch.size() == 1) {
            Batcher.Pending<Sending, AttemptAnswer> only = batch.get(0);
            Attempt attempt = only.request().attempt;
            isStillWanted(only);
            only.answer().complete(calls.attempted(0, reply, attempt.id(), attempt.claims(), List.of()));
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            Batcher.Pending<Sending, AttemptAnswer> pending = batch.get(i);
            AttemptAnswer answer = calls.attemptedInBatch(reply, i, pending.request().attempt);
            if (answer == null) {
                retryAlone(pending);
            } else {
                isStillWanted(pending);
                pending.answer().complete(answer);
            }
        }
    }

    @Override
    public void failed(List<Batcher.Pending<Sending, AttemptAnswer>> batch, Throwable error) {
        if (isRefusedAsAWhole(batch, error)) {
            batch.forEach(this::retryAlone);
            return;
        }
        for (Batcher.Pending<Sending, AttemptAnswer> pending : batch) {
            isStillWanted(pending);
            pending.answer().completeExceptionally(error);
        }
    }

    private void retryAlone(Batcher.Pending<Sending, AttemptAnswer> pending) {
        if (isStillWanted(pending)) {
            pending.completeWith(sendAlone.apply(pending.request().attempt));
        } else {
            pending.answer().completeExceptionally(UnsentAttempts.withdrawn());
        }
    }

    /** Whether the attempt was not withdrawn. Forgets the sending, so that this is true at most once. */
    private boolean isStillWanted(Batcher.Pending<Sending, AttemptAnswer> pending) {
        return unsent.remove(pending.request().attempt.id(), pending.request());
    }
}
