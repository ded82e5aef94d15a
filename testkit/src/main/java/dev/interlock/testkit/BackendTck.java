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
 * What every backend must pass. A backend extends it and writes one method:
 *
 * <pre>{@code
 * class EtcdBackendTckTest extends BackendTck {
 *     @Override protected Backend connect(String namespace) {
 *         return EtcdBackend.connect(endpoint, namespace);
 *     }
 * }
 * }</pre>
 *
 * <p>Each case has a namespace of its own and ends what it opened. A case that needs something the store does not offer is
 * reported as skipped, with a reason that starts with {@code capability:}.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
public abstract class BackendTck {
    private final TckCase tck = new TckCase(this);

    /**
     * A new connection to the locks of this namespace. Connections to the same namespace share its locks, those to different ones share
     * nothing. Each is closed by the kit.
     */
    protected abstract Backend connect(String namespace);

    /** How time passes; asked once per case. Real time unless the backend counts by a clock of the test's. */
    protected TckTime time() {
        return TckTime.real();
    }

    /** How often each thread takes the lock in the cases with contention. */
    protected int rounds() {
        return 100;
    }

    /** How many wait for one key in the cases with a long queue. */
    protected int manyWaiters() {
        return 10_000;
    }

    /** How many keys the case has that looks for leaks. */
    protected int manyKeys() {
        return 100_000;
    }

    @BeforeEach
    void skipWhatTheStoreCannotDo(TestInfo info) {
        assume(info.getTestClass());
        assume(info.getTestMethod());
    }

    private void assume(Optional<? extends AnnotatedElement> declared) {
        declared.map(element -> element.getAnnotation(Needs.class)).ifPresent(tck::assume);
    }

    @AfterEach
    void endTheCase() throws Exception {
        tck.end();
    }

    // The store by itself.

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
    class StoreWaitNotes extends WaitNoteCases {
        StoreWaitNotes() {
            super(BackendTck.this.tck);
        }
    }

    // The store under an Interlock.

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
