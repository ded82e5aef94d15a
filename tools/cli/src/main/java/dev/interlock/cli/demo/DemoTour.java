package dev.interlock.cli.demo;

import dev.interlock.memory.InMemoryBackend;
import java.util.List;

/** The demo: two services that share one store, in several acts. */
public final class DemoTour {
    private final Narrator narrator;

    /** The narrator prints the lines of all acts. */
    public DemoTour(Narrator narrator) {
        this.narrator = narrator;
    }

    /** One part of the demo. It releases all its locks. */
    @FunctionalInterface
    interface Act {
        void play() throws InterruptedException;
    }

    /** Runs all acts. Returns true if every result was as expected. */
    public boolean run() throws InterruptedException {
        narrator.aside(
                "Interlock demo: two services share one in-memory store. Every line reports what really happened.");
        // Starts with small grant numbers, so that tokens are easy to compare.
        InMemoryBackend backend = InMemoryBackend.create(System::nanoTime, 1);
        try (DemoService a = new DemoService("shop-a", backend);
                DemoService b = new DemoService("shop-b", backend)) {
            List<Act> acts = List.of(
                    new StockAct(narrator, a, b),
                    new OrderAct(narrator, a, b),
                    new PauseAct(narrator, a, b),
                    new OperatorAct(narrator, a, b));
            for (Act act : acts) {
                act.play();
            }
        }
        narrator.aside("");
        narrator.aside(narrator.checksPassed() + " checks passed, " + narrator.checksFailed() + " failed, in "
                + Narrator.show(narrator.elapsed()) + ".");
        return narrator.checksFailed() == 0;
    }
}
