package dev.interlock.redis;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.lock.InterlockException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.process.Ports;
import dev.interlock.testkit.servers.RedisServer;
import io.lettuce.core.SslOptions;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** X19: a TLS connection is only made to a server with a trusted certificate for its name. */
@Tag("server")
class TlsTest {
    private static final String STORE_PASSWORD = "changeit";
    private static final String SECRET = "s3cret-pa55word";

    @TempDir
    static Path folder;

    private static final List<Certificate> TRUSTED = new ArrayList<>();
    private static final List<RedisServer> SERVERS = new ArrayList<>();

    @RegisterExtension
    final Processes processes = new Processes();

    private final CapturedLog log = new CapturedLog();

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificate("good", "san=ip:127.0.0.1,dns:localhost");
        certificate("elsewhere", "san=dns:elsewhere.example");
        certificate("unknown", "san=ip:127.0.0.1,dns:localhost");
        writeTrusted();
    }

    @AfterAll
    static void stopServers() {
        SERVERS.forEach(RedisServer::close);
    }

    @BeforeEach
    void capture() {
        log.start();
    }

    @AfterEach
    void noSecretWasLogged() {
        log.stop();
        assertThat(log.lines()).noneMatch(line -> line.contains(SECRET));
    }

    /** A self-signed certificate, as PEM for the server and in the clients' trust store. */
    private static void certificate(String name, String extension) throws Exception {
        Path file = folder.resolve(name + ".p12");
        keytool(file, name, extension);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, STORE_PASSWORD.toCharArray());
        }
        Certificate certificate = keys.getCertificate(name);
        Key key = keys.getKey(name, STORE_PASSWORD.toCharArray());
        Files.writeString(folder.resolve(name + ".crt"), pem("CERTIFICATE", certificate.getEncoded()));
        Files.writeString(folder.resolve(name + ".key"), pem("PRIVATE KEY", key.getEncoded()));
        if (!name.equals("unknown")) {
            TRUSTED.add(certificate);
        }
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + kind
                + "-----\n";
    }

    private static void keytool(Path store, String name, String extension) throws Exception {
        String program =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        List<String> line = List.of(
                program,
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-ext",
                extension,
                "-keystore",
                store.toString(),
                "-storepass",
                STORE_PASSWORD,
                "-storetype",
                "PKCS12");
        Process process = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve("keytool.log")))
                .isZero();
    }

    private static void writeTrusted() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        for (int i = 0; i < TRUSTED.size(); i++) {
            trusted.setCertificateEntry("trusted-" + i, TRUSTED.get(i));
        }
        try (OutputStream out = Files.newOutputStream(folder.resolve("trusted.p12"))) {
            trusted.store(out, STORE_PASSWORD.toCharArray());
        }
    }

    private static int serverWith(String certificate) {
        int port = Ports.free();
        RedisServer redis = RedisServer.own()
                .with("tls-port", Integer.toString(port))
                .with("tls-cert-file", folder.resolve(certificate + ".crt").toString())
                .with("tls-key-file", folder.resolve(certificate + ".key").toString())
                .with("tls-ca-cert-file", folder.resolve(certificate + ".crt").toString())
                .with("tls-auth-clients", "no");
        redis.start();
        redis.command("ACL", "SETUSER", "app", "on", ">" + SECRET, "~*", "&*", "+@all");
        SERVERS.add(redis);
        return port;
    }

    private static RedisBackend.Builder client(String scheme, int port) {
        return RedisBackend.builder(scheme + "://app:" + SECRET + "@127.0.0.1:" + port)
                .silenceLimit(ofSeconds(5))
                .ssl(SslOptions.builder()
                        .truststore(folder.resolve("trusted.p12").toFile(), STORE_PASSWORD)
                        .build());
    }

    @Test
    void serverWithATrustedCertificateIsUsed() {
        processes
                .locks(client("rediss", serverWith("good")))
                .acquire(LockKey.of("x"))
                .close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"elsewhere", "unknown"})
    void serverWithoutOneIsRefused(String certificate) {
        int port = serverWith(certificate);
        Throwable refused = catchThrowable(() -> client("rediss", port).build());
        assertThat(refused).isInstanceOf(InterlockException.class).hasMessageContaining("127.0.0.1:" + port);
        System.out.printf("Certificate %s: %s%n", certificate, refused.getMessage());
        assertThat(refused.getMessage()).containsPattern("subject alternative names|certification path");
        assertThat(SERVERS.get(SERVERS.size() - 1).command("INFO", "commandstats"))
                .as("the server has not received the password")
                .doesNotContain("cmdstat_hello", "cmdstat_auth");
    }

    @Test
    void platformTrustStoreIsTheDefault() {
        int port = serverWith("good");
        assertThatThrownBy(() -> RedisBackend.builder("rediss://app:" + SECRET + "@127.0.0.1:" + port)
                        .silenceLimit(ofSeconds(5))
                        .build())
                .isInstanceOf(InterlockException.class)
                .hasMessageContaining("certification path");
    }

    /** There is no fallback from one to the other. */
    @Test
    void plainAndEncryptedPortsAreNotMixedUp() {
        int port = serverWith("good");
        int plain = SERVERS.get(SERVERS.size() - 1).node().port();
        assertThatThrownBy(
                        () -> client("rediss", plain).silenceLimit(ofSeconds(2)).build())
                .isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(
                        () -> client("redis", port).silenceLimit(ofSeconds(2)).build())
                .isInstanceOf(StoreUnavailableException.class);
    }
}
