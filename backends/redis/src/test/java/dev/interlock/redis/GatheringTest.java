package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Questions travel together until their call is written, and every one of them is answered once. */
class GatheringTest {
    private record Sent(Supplier<Call> call, Consumer<Object> arrived, CompletableFuture<Object> done) {

        void comeBack(Object reply) {
            arrived.accept(reply);
            done.complete(reply);
        }
    }

    private final BlockingQueue<Sent> line = new LinkedBlockingQueue<>();
    private final Map<Call, List<Integer>> calls = new ConcurrentHashMap<>();
    private final List<List<Integer>> written = new ArrayList<>();
    private final Gathering<Integer, String> gathering = new Gathering<>(
            (late, arrived) -> {
                Sent sent = new Sent(late, arrived, new CompletableFuture<>());
                line.add(sent);
                return sent.done();
            },
            new Numbers());

    /** A question is about as many locks as its last digit says; hundreds travel with hundreds only. */
    private final class Numbers implements Gathering.Kind<Integer, String> {
        @Override
        public int locks(Integer question) {
            return question % 10;
        }

        @Override
        public boolean together(Integer one, Integer other) {
            return one / 100 == other / 100;
        }

        @Override
        public Call call(List<Gathering.Asked<Integer, String>> asked) {
            List<Integer> questions =
                    asked.stream().map(Gathering.Asked::question).toList();
            Call call = new Call(Script.TAKE, 0, 0);
            calls.put(call, questions);
            return call;
        }

        @Override
        public void arrived(List<Gathering.Asked<Integer, String>> asked, Object reply) {
            asked.forEach(it -> it.answer().complete(it.question() + " " + reply));
        }

        @Override
        public void failed(List<Gathering.Asked<Integer, String>> asked, Throwable error) {
            asked.forEach(it -> it.answer().completeExceptionally(error));
        }
    }

    private Call write(Sent sent) {
        Call call = sent.call().get();
        written.add(calls.get(call));
        return call;
    }

    @Test
    void questionsBoardUntilTheCallIsWritten() {
        CompletableFuture<String> first = gathering.ask(11);
        CompletableFuture<String> second = gathering.ask(21);
        Sent trip = line.remove();
        Call call = write(trip);
        CompletableFuture<String> late = gathering.ask(31);

        assertThat(written).containsExactly(List.of(11, 21));
        assertThat(trip.call().get()).as("written again").isSameAs(call);
        trip.comeBack("yes");
        assertThat(first).isCompletedWithValue("11 yes");
        assertThat(second).isCompletedWithValue("21 yes");
        assertThat(late).isNotDone();
        assertThat(line).hasSize(1);
    }

    @Test
    void questionsThatDoNotGoTogetherDoNotTravelTogether() {
        gathering.ask(11);
        gathering.ask(111);
        gathering.ask(121);
        write(line.remove());
        write(line.remove());

        assertThat(written).containsExactly(List.of(11), List.of(111, 121));
    }

    @Test
    void callIsNotAboutMoreLocksThanKeepTheServerForLong() {
        int most = Gathering.MOST_LOCKS / 8;
        IntStream.range(0, most + 1).forEach(i -> gathering.ask(8));
        assertThat(line).hasSize(2);
        write(line.remove());

        assertThat(written.get(0)).hasSize(most);
    }

    @Test
    void callThatWasNeverWrittenFailsAllAndTakesNobodyAlongAnyMore() {
        CompletableFuture<String> first = gathering.ask(11);
        CompletableFuture<String> second = gathering.ask(21);
        line.remove().done().completeExceptionally(new IllegalStateException("cut"));
        CompletableFuture<String> later = gathering.ask(31);

        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(later).isNotDone();
        line.remove().comeBack("yes");
        assertThat(later).isCompletedWithValue("31 yes");
    }

    @Test
    void everyQuestionOfManyThreadsIsAnsweredOnce() throws Exception {
        int threads = 4;
        int each = 20_000;
        Thread server = new Thread(() -> {
            try {
                for (Sent sent = line.take(); ; sent = line.take()) {
                    write(sent);
                    sent.comeBack("yes");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        List<CompletableFuture<Integer>> asking = IntStream.range(0, threads)
                .mapToObj(thread -> CompletableFuture.supplyAsync(() -> {
                    int right = 0;
                    for (int i = 0; i < each; i++) {
                        String answer = gathering.ask(thread * 10 + 1).join();
                        right += answer.equals(thread * 10 + 1 + " yes") ? 1 : 0;
                    }
                    return right;
                }))
                .toList();
        for (CompletableFuture<Integer> right : asking) {
            assertThat(right.get(60, TimeUnit.SECONDS)).isEqualTo(each);
        }
        server.interrupt();
        server.join();
        assertThat(written.stream().mapToInt(List::size).sum()).isEqualTo(threads * each);
    }
}
