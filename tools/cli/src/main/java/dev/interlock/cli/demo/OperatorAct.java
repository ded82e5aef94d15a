package dev.interlock.cli.demo;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An operator lists the locks and releases one by force because its holder hangs. */
final class OperatorAct implements DemoTour.Act {
    private static final LockKey CATALOGUE = LockKey.of("catalogue", "lamps");
    private static final LockKey PRINTER = LockKey.of("printer", "desk");
    private static final LockKey REPORT = LockKey.of("report", "daily");

    private final Narrator narrator;
    private final DemoService a;
    private final DemoService b;

    OperatorAct(Narrator narrator, DemoService a, DemoService b) {
        this.narrator = narrator;
        this.a = a;
        this.b = b;
    }

    @Override
    public void play() throws InterruptedException {
        narrator.act("An operator inspects the locks");
        try (Lease readerA = a.locks().with(CATALOGUE).shared().acquire();
                Lease readerB = b.locks().with(CATALOGUE).shared().acquire();
                Lease printer = a.locks().with(PRINTER).permits(2, 3).acquire();
                Lease hanging = hang()) {
            CompletableFuture<Lease> waiting = b.locks().acquireAsync(REPORT).toCompletableFuture();
            List<LockSnapshot> seen = look();
            narrator.check(
                    shows(seen, CATALOGUE, 2, 0) && shows(seen, PRINTER, 1, 0) && shows(seen, REPORT, 1, 1),
                    seen.size() + " locks, "
                            + seen.stream().mapToInt(LockSnapshot::waiters).sum() + " waiting, as expected");
            force(hanging, waiting);
        }
    }

    private Lease hang() {
        // Frequent renewals, so that the holder learns quickly that the lock was taken from it.
        return a.locks().with(REPORT).renewEvery(narrator.pace().work()).acquire();
    }

    private List<LockSnapshot> look() {
        List<LockSnapshot> locks = a.operator().list("", Optional.empty(), 100).locks();
        narrator.aside(row("lock", "holder", "mode", "grant", "held for", "ends in", "waiting"));
        for (LockSnapshot lock : locks) {
            for (LockSnapshot.Holder holder : lock.holders()) {
                String mode = holder.mode().name().toLowerCase(Locale.ROOT)
                        + (holder.permits() > 1 ? " " + holder.permits() : "");
                narrator.aside(row(
                        lock.key().name(),
                        holder.label(),
                        mode,
                        Long.toString(holder.grant()),
                        Narrator.show(holder.heldFor()),
                        Narrator.show(holder.endsIn()),
                        Integer.toString(lock.waiters())));
            }
        }
        Narrator.pause(narrator.pace().reading().multipliedBy(3));
        return locks;
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "           %-16s %-8s %-11s %5s %9s %9s %8s", cells);
    }

    private static boolean shows(List<LockSnapshot> seen, LockKey key, int holders, int waiters) {
        return seen.stream()
                .anyMatch(lock ->
                        lock.key().equals(key) && lock.holders().size() == holders && lock.waiters() == waiters);
    }

    private void force(Lease hanging, CompletableFuture<Lease> waiting) throws InterruptedException {
        long began = System.nanoTime();
        CompletableFuture<LossReason> notified = new CompletableFuture<>();
        CompletableFuture<Duration> notifiedAfter = new CompletableFuture<>();
        hanging.onLost(reason -> {
            notifiedAfter.complete(Duration.ofNanos(System.nanoTime() - began));
            notified.complete(reason);
        });
        int released = a.operator().forceRelease(REPORT);
        narrator.report("operator", "releases " + REPORT + " by force; holders that lost it: " + released);
        try (Lease taken = DemoService.await(waiting)) {
            narrator.check(
                    taken.token().isNewerThan(hanging.token()),
                    b.name() + ", the waiter, now holds it: token " + taken.token() + " > " + hanging.token());
        }
        LossReason reason = DemoService.await(notified);
        narrator.check(
                reason == LossReason.FORCED,
                a.name() + " was notified " + Narrator.show(DemoService.await(notifiedAfter))
                        + " later, at its next renewal: " + reason);
    }
}
