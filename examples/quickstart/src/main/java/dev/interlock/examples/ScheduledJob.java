package dev.interlock.examples;

import dev.interlock.Interlock;
import dev.interlock.lock.JobLock;
import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import java.time.Duration;

/** Three instances start the nightly report at the same time. One of them runs it. */
public final class ScheduledJob {
    private ScheduledJob() {}

    public static void main(String[] args) {
        try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
            JobLock job = JobLock.over(interlock.locks(), LockKey.of("job", "nightly-report"))
                    .atMostFor(Duration.ofMinutes(10)) // a run that hangs loses its lock
                    .atLeastFor(Duration.ofSeconds(30)); // an instance with a slow clock does not repeat it

            for (int instance = 1; instance <= 3; instance++) {
                int number = instance;
                boolean ran = job.tryRun(lease -> System.out.println("Instance " + number + " writes the report"));
                System.out.println("Instance " + instance + " ran: " + ran);
            }
        }
    }
}
