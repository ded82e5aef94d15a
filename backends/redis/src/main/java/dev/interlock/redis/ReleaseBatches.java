package dev.interlock.redis;

import dev.interlock.spi.Grant;
import dev.interlock.spi.ReleaseAnswer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Batches releases. Only where one server has all locks.
 *
 * <p>If the server refuses a call of several releases as a whole, each of them is sent again alone.
 */
final class ReleaseBatches implements Batcher.Operation<List<Grant>, List<ReleaseAnswer>> {
    private final RedisCalls calls;
    private final Function<List<Grant>, CompletableFuture<List<ReleaseAnswer>>> sendAlone;

    ReleaseBatches(RedisCalls calls, Function<List<Grant>, CompletableFuture<List<ReleaseAnswer>>> sendAlone) {
        this.calls = calls;
        this.sendAlone = sendAlone;
    }

    @Override
    public int locks(List<Grant> grants) {
        return grants.size();
    }

    @Override
    public boolean canShareCall(List<Grant> first, List<Grant> other) {
        return true;
    }

    @Override
    public ScriptCall call(List<Batcher.Pending<List<Grant>, List<ReleaseAnswer>>> batch) {
        return calls.release(
                0,
                batch.size() == 1
                        ? batch.get(0).request()
                        : batch.stream()
                                .flatMap(pending -> pending.request().stream())
                                .toList());
    }

    @Override
    public void succeeded(List<Batcher.Pending<List<Grant>, List<ReleaseAnswer>>> batch, Object reply) {
        int from = 0;
        for (Batcher.Pending<List<Grant>, List<ReleaseAnswer>> pending : batch) {
            int to = from + pending.request().size();
            pending.answer().complete(RedisCalls.released(reply, from, to));
            from = to;
        }
    }

    @Override
    public void failed(List<Batcher.Pending<List<Grant>, List<ReleaseAnswer>>> batch, Throwable error) {
        boolean again = AttemptBatches.isRefusedAsAWhole(batch, error);
        for (Batcher.Pending<List<Grant>, List<ReleaseAnswer>> pending : batch) {
            if (again) {
                pending.completeWith(sendAlone.apply(pending.request()));
            } else {
                pending.answer().completeExceptionally(error);
            }
        }
    }
}
