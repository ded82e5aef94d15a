package dev.interlock.testkit;

import dev.interlock.spi.Backend;
import java.lang.reflect.AnnotatedElement;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/**
 * The conformance tests that every backend must pass. A backend extends this class and implements one method:
 *
 * <pre>{@code
 * class EtcdBackendTckTest extends BackendTck {
 *     @Override protected Backend connect(String namespace) {
 *         return EtcdBackend.connect(endpoint, namespace);
 *     }
 * }
 * }</pre>
 *
 * <p>Each case uses its own namespace and closes what it opened. If the store lacks a capability that a case requires,
 * the case is reported as skipped, with a reason that starts with {@code capability:}.
 *
 * @since 0.1.0
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
public abstract class BackendTck {
    private final TckCase tck = new TckCase(this);

    /**
     * Opens a new connection to the locks of a namespace. Connections to the same namespace share its locks.
     * Connections to different namespaces share nothing. The kit closes each connection.
     */
    protected abstract Backend connect(String namespace);

    /**
     * Returns how time passes. Called once per case. Override it if the backend uses the clock of the test instead of
     * real time.
     */
    protected TckTime time() {
        return TckTime.real();
    }

    /** Returns how often each thread acquires the lock in the cases with contention. */
    protected int rounds() {
        return 100;
    }

    /** Returns the number of waiters for one key in the cases with a long queue. */
    protected int manyWaiters() {
        return 10_000;
    }

    /** Returns the number of keys in the case that checks for leaks. */
    protected int manyKeys() {
        return 100_000;
    }

    @BeforeEach
    void skipUnsupportedCase(TestInfo info) {
        assumeSupported(info.getTestClass());
        assumeSupported(info.getTestMethod());
    }

    private void assumeSupported(Optional<? extends AnnotatedElement> declared) {
        declared.map(element -> element.getAnnotation(Requires.class)).ifPresent(tck::assumeSupported);
    }

    @AfterEach
    void endCase() throws Exception {
        tck.end();
    }

    // Cases that call the store directly.

    @Nested
    class StoreAttempts extends AttemptCases {
        StoreAttempts() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreQueue extends QueueCases {
        StoreQueue() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreWithdrawal extends WithdrawalCases {
        StoreWithdrawal() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreOwnership extends OwnershipCases {
        StoreOwnership() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreTokens extends TokenCases {
        StoreTokens() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreModes extends ModeCases {
        StoreModes() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreLockDelay extends LockDelayCases {
        StoreLockDelay() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreOperations extends OperationCases {
        StoreOperations() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreKeys extends KeyCases {
        StoreKeys() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class StoreWaitReports extends WaitReportCases {
        StoreWaitReports() {
            super(BackendTck.this.tck);
        }
    }

    // Cases that go through an Interlock.

    @Nested
    class Exclusion extends ExclusionCases {
        Exclusion() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class Fairness extends FairnessCases {
        Fairness() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class EndedWaits extends EndedWaitCases {
        EndedWaits() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class Loss extends LossCases {
        Loss() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class LeaseSets extends LeaseSetCases {
        LeaseSets() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class Sharing extends SharingCases {
        Sharing() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class Deadlocks extends DeadlockCases {
        Deadlocks() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class Shutdown extends ShutdownCases {
        Shutdown() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class Operator extends OperatorCases {
        Operator() {
            super(BackendTck.this.tck);
        }
    }

    @Nested
    class Scale extends ScaleCases {
        Scale() {
            super(BackendTck.this.tck);
        }
    }
}
