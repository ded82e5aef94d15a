package dev.interlock.testkit.checked;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/**
 * The faults of network, server and clocks that every networked backend must survive.
 *
 * <p>A backend joins in three steps:
 *
 * <ol>
 *   <li>Write a fixture that implements {@link FaultTarget}: it starts the server, connects clients to given addresses,
 *       answers questions about the stored locks ({@link StoreState}), and matches the backend's requests on the wire
 *       ({@link StoreRequests}).
 *   <li>Extend this class and return the fixture:
 *       <pre>{@code
 * class EtcdFaultTckTest extends FaultTck {
 *     @RegisterExtension static final EtcdTarget shared = new EtcdTarget(EtcdServers.shared());
 *     @RegisterExtension static final EtcdTarget own = new EtcdTarget(EtcdServers.own());
 *
 *     @Override protected Optional<FaultTarget> target(Disturbance disturbance) {
 *         return switch (disturbance) {
 *             case NETWORK -> Optional.of(shared);
 *             case SERVER -> Optional.of(own);
 *             case CLOCK -> Optional.empty();   // etcd is linked statically: its clock cannot be stepped
 *         };
 *     }
 * }
 * }</pre>
 *   <li>Run it. Raise the bounds and traits of the fixture as far as the store keeps them.
 * </ol>
 *
 * <p>Each case has a namespace, proxies and clients of its own. Clients record what they do; at the end of the case the
 * history checker decides. Each case also asserts that its fault acted. A case that needs a trait which the store does
 * not have is reported as skipped, with a reason that starts with {@code capability:}. Network cases run side by side
 * if JUnit's parallel execution is on.
 *
 * <p>With the system property {@code interlock.soak} the randomised case has ten times as many rounds; {@code
 * interlock.seed} repeats one.
 *
 * @see SoakTck the same faults at random, under full load
 * @since 0.1.0
 */
public abstract class FaultTck {
    /** What a group of cases disturbs. */
    public enum Disturbance {
        /** The network, by proxies. The servers may be shared with other tests. */
        NETWORK,
        /** The server processes: they are frozen, killed and restarted. */
        SERVER,
        /** The wall clocks of the servers, which must be steppable, and of clients. */
        CLOCK
    }

    /** Returns the store to disturb; empty if it cannot be disturbed in this way, so that these cases are skipped. */
    protected abstract Optional<FaultTarget> target(Disturbance disturbance);

    /** How many waits are interrupted; ten times as many in a soak. */
    protected int interruptRounds() {
        return 100;
    }

    /**
     * The time in which a typical wait is sent, queued, granted and confirmed. Interrupts arrive at random within it.
     */
    protected Duration interruptWithin() {
        return Duration.ofMillis(25);
    }

    @Nested
    class Outages extends OutageCases {
        Outages() {
            super(FaultTck.this);
        }
    }

    @Nested
    class LateMessages extends LateMessageCases {
        LateMessages() {
            super(FaultTck.this);
        }
    }

    @Nested
    class Interrupts extends InterruptCases {
        Interrupts() {
            super(FaultTck.this);
        }
    }

    @Nested
    class ServerFaults extends ServerFaultCases {
        ServerFaults() {
            super(FaultTck.this);
        }
    }

    @Nested
    class Clocks extends ClockCases {
        Clocks() {
            super(FaultTck.this);
        }
    }
}
