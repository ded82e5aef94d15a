package dev.interlock.testkit.servers;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

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
        try (Socket client = new Socket(
                InetAddress.getLoopbackAddress(), single.servers().get(0).port())) {
            Session session = open(client);
            single.expireSession(session.id(), session.password().array());

            client.setSoTimeout(10_000);
            assertThat(client.getInputStream().read()).as("end of the stream").isEqualTo(-1);
            assertThatThrownBy(() -> single.expireSession(
                            session.id(), session.password().array()))
                    .hasRootCauseMessage("ZooKeeper does not know this session, or the password is wrong.");
        }
    }

    @Test
    void sessionOfSomebodyElseCannotBeExpired() throws Exception {
        try (Socket client = new Socket(
                InetAddress.getLoopbackAddress(), single.servers().get(0).port())) {
            Session session = open(client);
            assertThatThrownBy(() -> single.expireSession(session.id(), new byte[16]))
                    .hasMessageContaining(Long.toHexString(session.id()));
        }
    }

    private record Session(long id, ByteBuffer password) {}

    /** What a client does first. */
    private static Session open(Socket socket) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(45);
        out.writeInt(0);
        out.writeLong(0);
        out.writeInt(30_000);
        out.writeLong(0);
        out.writeInt(16);
        out.write(new byte[16]);
        out.writeBoolean(false);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.readInt();
        in.readInt();
        assertThat(in.readInt()).as("session length").isEqualTo(30_000);
        long id = in.readLong();
        ByteBuffer password = ByteBuffer.wrap(in.readNBytes(in.readInt()));
        in.readBoolean();
        return new Session(id, password);
    }
}
