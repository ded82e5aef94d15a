package dev.interlock.testkit.workers;

import dev.interlock.lock.OrderPolicy;
import dev.interlock.spi.Backend;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The setup of worker processes. Immutable.
 *
 * @param backend the name of a class that implements {@link WorkerBackend}
 * @param address the address of the store, as that class interprets it
 * @param namespace the namespace of the locks
 * @param jvmOptions further options for the worker's JVM
 * @param variables further environment variables
 * @since 0.1.0
 */
public record WorkerSetup(
        String backend, String address, String namespace, List<String> jvmOptions, Map<String, String> variables) {
    static final String ORDER = "interlock.worker.order";
    static final String MONITOR = "interlock.worker.monitor";

    /** Copies the collections. */
    public WorkerSetup {
        jvmOptions = List.copyOf(jvmOptions);
        variables = Map.copyOf(variables);
    }

    /** Workers that connect through this class. */
    public static WorkerSetup of(Class<? extends WorkerBackend> backend, String address, String namespace) {
        return of(backend.getName(), address, namespace);
    }

    /** Workers that connect through the class of this name. */
    public static WorkerSetup of(String backend, String address, String namespace) {
        return new WorkerSetup(backend, address, namespace, List.of(), Map.of());
    }

    /** With one more option for the JVM. */
    public WorkerSetup withJvmOption(String option) {
        List<String> more = new ArrayList<>(jvmOptions);
        more.add(option);
        return new WorkerSetup(backend, address, namespace, more, variables);
    }

    /** With one more environment variable. */
    public WorkerSetup withVariable(String name, String value) {
        Map<String, String> more = new HashMap<>(variables);
        more.put(name, value);
        return new WorkerSetup(backend, address, namespace, jvmOptions, more);
    }

    /** The reaction to nested locks that violate the order; they are refused by default. */
    public WorkerSetup withOrderPolicy(OrderPolicy policy) {
        return withJvmOption("-D" + ORDER + "=" + policy);
    }

    /** One elected worker detects deadlocks, instead of each worker for itself. */
    public WorkerSetup withDeadlockMonitor() {
        return withJvmOption("-D" + MONITOR + "=true");
    }

    /** Loads the class of the backend and connects. Called in the worker process. */
    public static Backend connect(String backend, String address, String namespace) {
        try {
            return Class.forName(backend)
                    .asSubclass(WorkerBackend.class)
                    .getConstructor()
                    .newInstance()
                    .connect(address, namespace);
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalArgumentException(
                    backend + " is not a public class with a public constructor that implements WorkerBackend: " + e,
                    e);
        }
    }
}
