package dev.interlock.cli.demo;

import dev.interlock.memory.InMemoryBackend;
import java.util.List;

/** The whole tour: two services, one store, act after act. */
public final class Tour {
    private final Narrator narrator;

    /** Told by this narrator. */
    public Tour(Narrator narrator) {
        this.narrator = narrator;
    }

    /** A part of the tour; it leaves no lock behind. */
    @FunctionalInterface
    interface Act {
        void play() throws InterruptedException;
    }

    /** Gives the tour; true if everything happened as it should. */
    public boolean run() throws InterruptedException {
        narrator.aside("Interlock, a tour: two services, one store in memory. What you read is what happens.");
        // Small grant numbers, so that tokens can be compared at a glance.
        InMemoryBackend backend = InMemoryBackend.create(System::nanoTime, 1);
        try (Service a = new Service("shop-a", backend);
                Service b = new Service("shop-b", backend)) {
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
        narrator.aside(narrator.expectationsHeld() + " claims checked and true, " + narrator.expectationsFailed()
                + " false, in " + Narrator.show(narrator.elapsed()) + ".");
        return narrator.expectationsFailed() == 0;
    }
}
