package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.spi.StoreException;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {
    private static final LockKey KEY = LockKey.of("leader", "reports");

    private final TwoProcesses world = new TwoProcesses();
    private final List<String> calls = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    private LeaderElection election(Interlock interlock, String name) {
        return LeaderElection.over(interlock.locks(), KEY, new LeaderElection.Listener() {
            @Override
            public void onElected(Lease leadership) {
                calls.add(name + " elected");
            }

            @Override
            public void onResigned() {
                calls.add(name + " resigned");
            }

            @Override
            public void onLost(LossReason reason) {
                calls.add(name + " lost " + reason);
            }
        });
    }

    @Test
    void firstCandidateLeadsAndTheNextOneFollowsWhenItResigns() {
        LeaderElection first = election(world.ours, "first");
        LeaderElection second = election(world.theirs, "second");
        first.campaign();
        second.campaign();
        assertThat(first.isLeader()).isTrue();
        assertThat(second.isLeader()).isFalse();
        FencingToken token = first.leadership().orElseThrow().token();

        first.resign();

        assertThat(second.isLeader()).isTrue();
        assertThat(first.isLeader()).isFalse();
        assertThat(second.leadership().orElseThrow().token()).isGreaterThan(token);
        assertThat(calls).containsExactly("first elected", "first resigned", "second elected");
    }

    @Test
    void leaderThatLosesTheLockIsNotifiedAndCampaignsAgain() {
        LeaderElection leader = election(world.ours, "first");
        leader.campaign();
        Lease lost = leader.leadership().orElseThrow();

        world.theirs.operator().forceRelease(KEY);
        Lease rival = world.others().acquire(KEY);
        // The lease learns of it when it is renewed.
        Optional<LossReason> reason = renewal(lost);

        assertThat(reason).contains(LossReason.FORCED);
        assertThat(calls).contains("first lost FORCED");
        assertThat(leader.isLeader()).isFalse();
        rival.close();
        assertThat(leader.isLeader()).isTrue();
        assertThat(leader.leadership().orElseThrow().token()).isGreaterThan(rival.token());
    }

    private static Optional<LossReason> renewal(Lease lease) {
        try {
            lease.renew(Duration.ofSeconds(10));
            return Optional.empty();
        } catch (LeaseLostException e) {
            return Optional.of(e.reason());
        }
    }

    @Test
    void candidateAsksAgainHalfASecondAfterTheStoreWasUnavailable() {
        world.wire.down(() -> StoreException.notSent("down", null));
        LeaderElection candidate = election(world.ours, "first");
        candidate.campaign();
        world.wire.down(null);

        world.advance(499);
        assertThat(candidate.isLeader()).isFalse();

        world.advance(1);
        assertThat(candidate.isLeader()).isTrue();
    }

    @Test
    void resigningWhileCampaigningEndsTheWait() {
        Lease held = world.others().acquire(KEY);
        LeaderElection candidate = election(world.ours, "first");
        candidate.campaign();

        candidate.resign();
        held.close();

        assertThat(world.theirs.operator().inspect(KEY)).isEmpty();
        assertThat(candidate.isLeader()).isFalse();
        assertThat(calls).isEmpty();
    }

    @Test
    void campaigningTwiceAndResigningTwiceChangesNothing() {
        LeaderElection leader = election(world.ours, "first");
        leader.campaign();
        leader.campaign();
        leader.resign();
        leader.resign();
        assertThat(calls).containsExactly("first elected", "first resigned");
        leader.campaign();
        assertThat(leader.isLeader()).isTrue();
    }

    @Test
    void closingInterlockEndsLeadership() {
        LeaderElection leader = election(world.ours, "first");
        leader.campaign();

        world.ours.close();

        assertThat(calls).contains("first lost CLOSED");
        assertThat(leader.isLeader()).isFalse();
        assertThat(leader.toString()).contains("idle");
    }
}
