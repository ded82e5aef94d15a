package dev.interlock.testkit.servers;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class ZooKeeperFaultTest {
    @RegisterExtension
    static final ZooKeeperServers single = ZooKeeperServers.shared();

    @RegisterExtension
    final ZooKeeperServers ensemble = ZooKeeperServers.ownEnsemble();

    @Test
    void ensembleOutlivesItsLeader() {
        ServerNode before = ensemble.leader().orElseThrow();
        before.kill();
        await().atMost(ofSeconds(30))
                .until(() -> ensemble.leader().filter(it -> it != before).isPresent());

        before.start();
        assertThat(ensemble.leader()).isPresent().get().isNotSameAs(before);
        assertThat(ensemble.connectString()).matches("(127\\.0\\.0\\.1:\\d+,){2}127\\.0\\.0\\.1:\\d+");
    }

    @Test
    void ensembleWithoutAMajorityDoesNotServe() {
        ServerNode last = ensemble.servers().get(0);
        ensemble.servers().get(1).pause();
        ensemble.servers().get(2).pause();
        await().atMost(ofSeconds(30))
                .until(() -> !ZooKeeperProtocol.ask(last.port(), "srvr").contains("Mode:"));

        ensemble.servers().get(1).resume();
        ensemble.servers().get(2).resume();
        await().atMost(ofSeconds(30)).until(() -> ensemble.leader().isPresent());
    }

    @Test
    void expiredSessionIsClosedAndCannotBeTakenUpAgain() throws Exception {
        try (ZooKeeperSession session =
                ZooKeeperSession.open(single.servers().get(0).port())) {
            single.expireSession(session.id(), session.password());

            assertThat(session.endsWithin(ofSeconds(10))).isTrue();
            assertThatThrownBy(() -> single.expireSession(session.id(), session.password()))
                    .hasRootCauseMessage("ZooKeeper does not know this session, or the password is wrong.");
        }
    }

    @Test
    void sessionCannotBeExpiredWithAWrongPassword() throws Exception {
        try (ZooKeeperSession session =
                ZooKeeperSession.open(single.servers().get(0).port())) {
            assertThatThrownBy(() -> single.expireSession(session.id(), new byte[16]))
                    .hasMessageContaining(Long.toHexString(session.id()));
        }
    }
}
