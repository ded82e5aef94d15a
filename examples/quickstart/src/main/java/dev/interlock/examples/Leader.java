package dev.interlock.examples;

import dev.interlock.Interlock;
import dev.interlock.lock.LeaderElection;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import java.util.concurrent.CountDownLatch;

/** Two instances campaign; when the leader resigns, the other one takes over. */
public final class Leader {
    private Leader() {}

    public static void main(String[] args) throws InterruptedException {
        LockKey key = LockKey.of("leader", "billing");
        CountDownLatch second = new CountDownLatch(1);
        CountDownLatch first = new CountDownLatch(1);

        try (Interlock interlock = Interlock.over(InMemoryBackend.create());
                LeaderElection one = LeaderElection.over(interlock.locks(), key, new Instance("one", first));
                LeaderElection two = LeaderElection.over(interlock.locks(), key, new Instance("two", second))) {
            one.campaign();
            first.await();
            two.campaign();
            one.resign();
            second.await();
            System.out.println("Leader is two: " + two.isLeader());
        }
    }

    private record Instance(String name, CountDownLatch elected) implements LeaderElection.Listener {
        @Override
        public void onElected(Lease lease) {
            System.out.println("Instance " + name + " leads with token " + lease.token());
            elected.countDown();
        }

        @Override
        public void onResigned() {
            System.out.println("Instance " + name + " has resigned");
        }
    }
}
