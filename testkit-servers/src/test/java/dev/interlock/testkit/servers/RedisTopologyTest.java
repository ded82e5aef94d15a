package dev.interlock.testkit.servers;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
@Tag("server")
class RedisTopologyTest {
    @Nested
    class Replicated {
        @RegisterExtension
        final RedisReplicated redis = RedisReplicated.own();

        @Test
        void replicaFollowsUnlessItIsCutOff() {
            redis.command(redis.primary(), "SET", "a", "1");
            awaitValue("1");

            redis.cutReplication();
            redis.command(redis.primary(), "SET", "a", "2");
            assertThat(redis.command(redis.primary(), "WAIT", "1", "200")).isEqualTo("0");
            assertThat(redis.command(redis.replica(), "GET", "a")).isEqualTo("1");

            redis.healReplication();
            awaitValue("2");
        }

        private void awaitValue(String value) {
            await().until(() -> redis.command(redis.replica(), "GET", "a").equals(value));
        }
    }

    @Nested
    class Sentinel {
        @RegisterExtension
        final RedisSentinel redis = RedisSentinel.own();

        @Test
        void healthyPrimaryIsReplacedOnRequest() {
            ServerNode before = redis.primary();
            redis.command(before, "SET", "a", "1");
            assertThat(redis.command(before, "WAIT", "2", "5000")).isEqualTo("2");

            ServerNode after = redis.failover();

            assertThat(after).isNotSameAs(before);
            assertThat(redis.command(after, "GET", "a")).isEqualTo("1");
            await().atMost(ofSeconds(30))
                    .until(() -> redis.command(before, "ROLE").startsWith("slave"));
        }

        @Test
        void writeThatWasNotReplicatedIsLostWithThePrimary() {
            ServerNode before = redis.primary();
            redis.cutReplication();
            redis.command(before, "SET", "a", "1");

            before.kill();
            ServerNode after = redis.awaitPrimaryOtherThan(before);

            assertThat(redis.command(after, "EXISTS", "a")).isEqualTo("0");
            assertThat(redis.command(after, "SET", "a", "2")).isEqualTo("OK");
        }
    }

    @Nested
    class Cluster {
        @RegisterExtension
        final RedisCluster redis = RedisCluster.own();

        @Test
        void everyKeyBelongsToOneOfThree() {
            int stored = 0;
            for (int i = 0; i < 30; i++) {
                for (ServerNode node : redis.primaries()) {
                    stored += setIfOwn(node, "key" + i) ? 1 : 0;
                }
            }
            assertThat(stored).isEqualTo(30);
            assertThat(redis.primaries())
                    .allSatisfy(node -> assertThat(Integer.parseInt(redis.command(node, "DBSIZE")))
                            .isPositive());
        }

        private boolean setIfOwn(ServerNode node, String key) {
            try {
                return redis.command(node, "SET", key, "1").equals("OK");
            } catch (java.io.UncheckedIOException e) {
                assertThat(e.getCause()).hasMessageContaining("MOVED");
                return false;
            }
        }
    }

    @Nested
    class Independent {
        @RegisterExtension
        final RedisIndependent redis = RedisIndependent.of(3);

        @Test
        void serversKnowNothingOfEachOther() {
            redis.command(redis.servers().get(0), "SET", "a", "1");
            redis.servers().get(1).kill();
            assertThat(redis.command(redis.servers().get(2), "EXISTS", "a")).isEqualTo("0");
            assertThat(redis.uris()).hasSize(3).doesNotHaveDuplicates();
        }
    }

    @Test
    void aTopologyOfNoServersIsRefused() {
        assertThatThrownBy(() -> RedisIndependent.of(0)).hasMessageContaining("At least one");
    }
}
