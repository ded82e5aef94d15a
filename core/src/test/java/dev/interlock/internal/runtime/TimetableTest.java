package dev.interlock.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimetableTest {
    private final AtomicInteger rounds = new AtomicInteger();
    private final Timetable table = new Timetable(rounds::incrementAndGet);
    private final List<Named> rung = new ArrayList<>();

    private final class Named extends Timetable.Entry {
        final int number;

        Named(int number) {
            this.number = number;
        }

        @Override
        protected void ring(long nowNanos) {
            rung.add(this);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 42, 8813})
    void behavesLikeASortedList(long seed) {
        Random random = new Random(seed);
        List<Named> entries = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            entries.add(new Named(i));
        }
        Map<Named, Long> model = new HashMap<>();
        long now = 0;
        for (int step = 0; step < 20_000; step++) {
            Named entry = entries.get(random.nextInt(entries.size()));
            int action = random.nextInt(10);
            if (action < 6) {
                long due = now + random.nextInt(1_000) - 50;
                table.set(entry, due);
                model.put(entry, due);
            } else if (action < 8) {
                table.cancel(entry);
                model.remove(entry);
            } else {
                now += random.nextInt(100);
                long next = ringAndCompare(model, now);
                assertThat(next)
                        .isEqualTo(model.values().stream()
                                .mapToLong(Long::longValue)
                                .min()
                                .orElse(Long.MAX_VALUE));
            }
            assertThat(table.entries()).hasSameSizeAs(model.keySet());
        }
        assertThat(new ArrayList<>(model.keySet()))
                .hasSameElementsAs(
                        table.entries().stream().map(Named.class::cast).toList());
    }

    private long ringAndCompare(Map<Named, Long> model, long now) {
        List<Long> expected =
                model.values().stream().filter(due -> due <= now).sorted().toList();
        rung.clear();
        long next = table.ring(now);
        assertThat(rung.stream().map(model::get).toList()).isEqualTo(expected);
        rung.forEach(model::remove);
        return next;
    }

    @Test
    void entryThatIsNotSetCanBeCancelled() {
        Named entry = new Named(1);
        table.cancel(entry);
        table.set(entry, 5);
        table.cancel(entry);
        table.cancel(entry);

        assertThat(table.ring(10)).isEqualTo(Long.MAX_VALUE);
        assertThat(rung).isEmpty();
        assertThat(rounds).hasValue(1);
    }

    @Test
    void entryMaySetItselfAgainWhileItRings() {
        table.set(
                new Timetable.Entry() {
                    @Override
                    protected void ring(long nowNanos) {
                        if (nowNanos < 30) {
                            table.set(this, nowNanos + 10);
                        }
                    }
                },
                10);

        assertThat(table.ring(10)).isEqualTo(20);
        assertThat(table.ring(20)).isEqualTo(30);
        assertThat(table.ring(30)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void alarmIsWokenOnlyForAnEarlierMoment() {
        AtomicInteger wakes = new AtomicInteger();
        table.onEarlier(wakes::incrementAndGet);
        table.set(new Named(1), 100);
        assertThat(wakes).hasValue(1);
        assertThat(table.ring(0)).isEqualTo(100);

        table.set(new Named(2), 200);
        table.set(new Named(3), 100);
        assertThat(wakes).hasValue(1);
        table.set(new Named(4), 99);

        assertThat(wakes).hasValue(2);
    }

    @Test
    void oneCallFollowsARoundOfSeveralEntries() {
        for (int i = 0; i < 1_000; i++) {
            table.set(new Named(i), i % 7);
        }

        table.ring(10);

        assertThat(rung).hasSize(1_000);
        assertThat(rounds).hasValue(1);
        assertThat(rung.get(0).number % 7).isZero();
    }
}
