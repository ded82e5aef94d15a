package dev.interlock.testkit.servers;

import java.nio.file.Path;

/**
 * The Redis versions that are available as Maven artifacts.
 *
 * @since 0.1.0
 */
public enum RedisVersion {
    /** Redis 6.2: the oldest supported version, and the one whose clock can be stepped. */
    V6_2("Redis 6.2", "com.github.codemonstur", "1.4.4", "redis-server-6.2.6-v5-linux-amd64"),

    /** Redis 7.0: the default. */
    V7_0("Redis 7.0", "org.signal", "0.9.1", "redis-server-7.0.15-linux-amd64");

    private final String title;
    private final String group;
    private final String artifactVersion;
    private final String entry;

    RedisVersion(String title, String group, String artifactVersion, String entry) {
        this.title = title;
        this.group = group;
        this.artifactVersion = artifactVersion;
        this.entry = entry;
    }

    String title() {
        return title;
    }

    Path program() {
        MavenArtifact artifact = new MavenArtifact(group, "embedded-redis", artifactVersion);
        return ServerCache.entry(
                        entry, folder -> Archives.program(artifact.jar(), entry, folder.resolve("redis-server")))
                .resolve("redis-server");
    }
}
