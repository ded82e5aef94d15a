package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.memory.InMemoryBackend;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {
    private static final LockKey KEY = LockKey.of("leader", "reports");

    private final InMemoryBackend backend = InMemoryBackend.create();
    private final Interlock one = Interlock.builder(backend).name("one").build();
    private final Interlock two = Interlock.builder(backend).name("two").build();
    private final List<String> heard = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    private LeaderElection election(Interlock interlock, String name) {
        return LeaderElection.over(interlock.locks(), KEY, new LeaderElection.Listener() {
            @Override
            public void onElected(Lease leadership) {
                heard.add(name + " elected");
            }

            @Override
            public void onResigned() {
                heard.add(name + " resigned");
            }

            @Override
            public void onLost(LossReason reason) {
                heard.add(name + " lost " + reason);
            }
        });
    }

    @Test
    void theFirstToCampaignLeadsAndTheNextFollowsWhenItResigns() {
        LeaderElection first = election(one, "first");
        LeaderElection second = election(two, "second");
        first.campaign();
        second.campaign();
        assertThat(first.isLeader()).isTrue();
        assertThat(second.isLeader()).isFalse();
        FencingToken token = first.leadership().orElseThrow().token();

        first.resign();

        await().until(second::isLeader);
        assertThat(first.isLeader()).isFalse();
        assertThat(second.leadership().orElseThrow().token()).isGreaterThan(token);
        assertThat(heard).startsWith("first elected", "first resigned").contains("second elected");
    }

    @Test
    void aLeaderThatLosesTheLockIsToldAndCampaignsAgain() {
        LeaderElection leader = election(one, "first");
        leader.campaign();
        Lease lost = leader.leadership().orElseThrow();

        two.operator().forceRelease(KEY);
        Lease rival = two.locks().acquire(KEY);
        // The lease learns of it when it is renewed.
        Optional<LossReason> reason = renewal(lost);

        assertThat(reason).contains(LossReason.FORCED);
        await().until(() -> heard.contains("first lost FORCED"));
        assertThat(leader.isLeader()).isFalse();
        rival.close();
        await().until(leader::isLeader);
        assertThat(leader.leadership().orElseThrow().token()).isGreaterThan(rival.token());
    }

    private static Optional<LossReason> renewal(Lease lease) {
        try {
            lease.renew(java.time.Duration.ofSeconds(10));
            return Optional.empty();
        } catch (LeaseLostException e) {
            return Optional.of(e.reason());
        }
    }

    @Test
    void resigningWhileCampaigningEndsTheWait() {
        Lease held = two.locks().acquire(KEY);
        LeaderElection candidate = election(one, "first");
        candidate.campaign();

        candidate.resign();
        held.close();

        assertThat(two.operator().inspect(KEY)).isEmpty();
        assertThat(candidate.isLeader()).isFalse();
        assertThat(heard).isEmpty();
    }

    @Test
    void campaigningTwiceAndResigningTwiceChangesNothing() {
        LeaderElection leader = election(one, "first");
        leader.campaign();
        leader.campaign();
        leader.resign();
        leader.resign();
        assertThat(heard).containsExactly("first elected", "first resigned");
        leader.campaign();
        assertThat(leader.isLeader()).isTrue();
    }

    @Test
    void closingInterlockEndsLeadership() {
        LeaderElection leader = election(one, "first");
        leader.campaign();

        one.close();

        await().until(() -> heard.contains("first lost CLOSED"));
        assertThat(leader.isLeader()).isFalse();
        assertThat(leader.toString()).contains("idle");
    }
}
