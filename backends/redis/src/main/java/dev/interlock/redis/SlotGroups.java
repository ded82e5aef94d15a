package dev.interlock.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;

/** Splits a batch by slot, and merges the answers in the order of the entries. */
final class SlotGroups {
    private SlotGroups() {}

    static <A, B> CompletableFuture<List<B>> each(
            List<A> entries, ToIntFunction<A> slotOf, BiFunction<Integer, List<A>, CompletableFuture<List<B>>> call) {
        Map<Integer, List<Integer>> groups = new TreeMap<>();
        for (int i = 0; i < entries.size(); i++) {
            groups.computeIfAbsent(slotOf.applyAsInt(entries.get(i)), slot -> new ArrayList<>())
                    .add(i);
        }
        List<B> answers = new ArrayList<>(Collections.nCopies(entries.size(), null));
        List<CompletableFuture<Void>> calls = new ArrayList<>(groups.size());
        groups.forEach((slot, indexes) ->
                calls.add(call.apply(slot, indexes.stream().map(entries::get).toList())
                        .thenAccept(group -> {
                            for (int i = 0; i < indexes.size(); i++) {
                                answers.set(indexes.get(i), group.get(i));
                            }
                        })));
        return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).thenApply(done -> answers);
    }
}
