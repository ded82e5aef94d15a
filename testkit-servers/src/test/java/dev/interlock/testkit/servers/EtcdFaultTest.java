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
class EtcdFaultTest {
    private static final String KEY = "\"key\":\"Zm9v\"";

    @RegisterExtension
    final EtcdServers cluster = EtcdServers.ownCluster();

    @Test
    void keyGoesAwayWithItsLease() {
        String granted = cluster.request("/v3/lease/grant", "{\"TTL\":\"600\",\"ID\":\"4711\"}");
        assertThat(granted).contains("\"ID\":\"4711\"");
        put("\"YQ==\",\"lease\":\"4711\"");
        assertThat(range("")).contains("\"value\":\"YQ==\"");

        cluster.revokeLease(4711);
        assertThat(range("")).doesNotContain("value");
    }

    @Test
    void compactedRevisionCannotBeRead() {
        put("\"YQ==\"");
        long old = cluster.revision();
        put("\"Yg==\"");
        assertThat(range(",\"revision\":\"" + old + "\"")).contains("\"value\":\"YQ==\"");

        cluster.compact(cluster.revision());
        assertThatThrownBy(() -> range(",\"revision\":\"" + old + "\""))
                .hasRootCauseInstanceOf(java.io.IOException.class)
                .rootCause()
                .hasMessageContaining("compacted");
    }

    @Test
    void clusterOutlivesItsLeader() {
        put("\"YQ==\"");
        ServerNode before = cluster.leader().orElseThrow();
        before.kill();
        await().atMost(ofSeconds(30))
                .until(() -> cluster.leader().filter(it -> it != before).isPresent());
        assertThat(range("")).contains("\"value\":\"YQ==\"");

        before.start();
        assertThat(before.isAlive()).isTrue();
    }

    @Test
    void clusterWithoutAMajorityDoesNotAnswer() {
        cluster.servers().get(1).pause();
        cluster.servers().get(2).pause();
        assertThatThrownBy(() -> put("\"YQ==\"")).hasMessageContaining("did not answer");
        cluster.servers().get(1).resume();
        cluster.servers().get(2).resume();
        await().atMost(ofSeconds(30)).ignoreExceptions().untilAsserted(() -> put("\"YQ==\""));
    }

    private void put(String value) {
        cluster.request("/v3/kv/put", "{" + KEY + ",\"value\":" + value + "}");
    }

    private String range(String more) {
        return cluster.request("/v3/kv/range", "{" + KEY + more + "}");
    }
}
