package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests join a batch until its call is encoded, and each of them is answered once. */
class BatcherTest {
    private record Sent(Supplier<ScriptCall> call, Consumer<Object> onReply, CompletableFuture<?> done) {
        void reply(Object reply) {
            onReply.accept(reply);
        }
    }

    private final BlockingQueue<Sent> queue = new LinkedBlockingQueue<>();
    private final Map<ScriptCall, List<Integer>> calls = new ConcurrentHashMap<>();
    private final List<List<Integer>> encoded = new ArrayList<>();
    private final Batcher<Integer, String> batcher = new Batcher<>(new QueueingServer(), new Numbers());

    /** Queues every call instead of sending it. */
    private final class QueueingServer implements Servers {
        @Override
        public <T> CompletableFuture<T> call(
                int slot, Supplier<ScriptCall> deferred, Function<? super Object, ? extends T> parse) {
            CompletableFuture<T> done = new CompletableFuture<>();
            queue.add(new Sent(deferred, reply -> done.complete(parse.apply(reply)), done));
            return done;
        }

        @Override
        public <T> CompletableFuture<T> call(int slot, ScriptCall call, Function<? super Object, ? extends T> parse) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<ServerConnection> connection(int slot) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<ServerConnection> reserved(int slot) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<List<ServerConnection>> all() {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisURI subscribeAt() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isSingle() {
            return true;
        }

        @Override
        public CompletableFuture<Void> close() {
            throw new UnsupportedOperationException();
        }
    }

    /** The last digit of a request is its number of locks. Only requests of the same hundred can share a call. */
    private final class Numbers implements Batcher.Operation<Integer, String> {
        @Override
        public int locks(Integer request) {
            return request % 10;
        }

        @Override
        public boolean canShareCall(Integer first, Integer other) {
            return first / 100 == other / 100;
        }

        @Override
        public ScriptCall call(List<Batcher.Pending<Integer, String>> batch) {
            List<Integer> requests =
                    batch.stream().map(Batcher.Pending::request).toList();
            ScriptCall call = new ScriptCall(Script.ATTEMPT_BATCH, 0, 0);
            calls.put(call, requests);
            return call;
        }

        @Override
        public void succeeded(List<Batcher.Pending<Integer, String>> batch, Object reply) {
            batch.forEach(it -> it.answer().complete(it.request() + " " + reply));
        }

        @Override
        public void failed(List<Batcher.Pending<Integer, String>> batch, Throwable error) {
            batch.forEach(it -> it.answer().completeExceptionally(error));
        }
    }

    private ScriptCall encode(Sent sent) {
        ScriptCall call = sent.call().get();
        encoded.add(calls.get(call));
        return call;
    }

    @Test
    void requestsJoinUntilTheCallIsEncoded() {
        CompletableFuture<String> first = batcher.submit(11);
        CompletableFuture<String> second = batcher.submit(21);
        Sent sent = queue.remove();
        ScriptCall call = encode(sent);
        CompletableFuture<String> late = batcher.submit(31);

        assertThat(encoded).containsExactly(List.of(11, 21));
        assertThat(sent.call().get()).as("encoded again").isSameAs(call);
        sent.reply("yes");
        assertThat(first).isCompletedWithValue("11 yes");
        assertThat(second).isCompletedWithValue("21 yes");
        assertThat(late).isNotDone();
        assertThat(queue).hasSize(1);
    }

    @Test
    void requestsThatCannotShareACallAreSentInSeparateCalls() {
        batcher.submit(11);
        batcher.submit(111);
        batcher.submit(121);
        encode(queue.remove());
        encode(queue.remove());

        assertThat(encoded).containsExactly(List.of(11), List.of(111, 121));
    }

    @Test
    void callHasAtMostMaxLocks() {
        int max = Batcher.MAX_LOCKS / 8;
        IntStream.range(0, max + 1).forEach(i -> batcher.submit(8));
        assertThat(queue).hasSize(2);
        encode(queue.remove());

        assertThat(encoded.get(0)).hasSize(max);
    }

    @Test
    void callThatWasNeverEncodedFailsItsRequestsAndAcceptsNoMore() {
        CompletableFuture<String> first = batcher.submit(11);
        CompletableFuture<String> second = batcher.submit(21);
        queue.remove().done().completeExceptionally(new IllegalStateException("cut"));
        CompletableFuture<String> later = batcher.submit(31);

        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(later).isNotDone();
        queue.remove().reply("yes");
        assertThat(later).isCompletedWithValue("31 yes");
    }

    @Test
    void everyRequestOfSeveralThreadsIsAnsweredOnce() throws Exception {
        int threads = 4;
        int perThread = 20_000;
        Thread server = new Thread(() -> {
            try {
                for (Sent sent = queue.take(); ; sent = queue.take()) {
                    encode(sent);
                    sent.reply("yes");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        List<CompletableFuture<Integer>> callers = IntStream.range(0, threads)
                .mapToObj(thread -> CompletableFuture.supplyAsync(() -> {
                    int correct = 0;
                    for (int i = 0; i < perThread; i++) {
                        String answer = batcher.submit(thread * 10 + 1).join();
                        correct += answer.equals(thread * 10 + 1 + " yes") ? 1 : 0;
                    }
                    return correct;
                }))
                .toList();
        for (CompletableFuture<Integer> correct : callers) {
            assertThat(correct.get(60, TimeUnit.SECONDS)).isEqualTo(perThread);
        }
        server.interrupt();
        server.join();
        assertThat(encoded.stream().mapToInt(List::size).sum()).isEqualTo(threads * perThread);
    }
}
