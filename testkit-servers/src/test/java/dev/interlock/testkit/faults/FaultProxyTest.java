package dev.interlock.testkit.faults;

import static dev.interlock.testkit.faults.Direction.TO_CLIENT;
import static dev.interlock.testkit.faults.Direction.TO_SERVER;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FaultProxyTest {
    private final TinyServer echo = TinyServer.echo();
    private final FaultProxy proxy = FaultProxy.to("localhost", echo.port());

    @AfterEach
    void close() throws IOException {
        proxy.close();
        echo.close();
    }

    static Stream<Framing> framings() {
        return Stream.of(Framing.raw(), Framing.resp(), Framing.postgres(), Framing.mysql(), Framing.zookeeper());
    }

    /** Random bytes follow no protocol, and must still pass. */
    @ParameterizedTest
    @MethodSource("framings")
    void bytesArriveUnchangedOnTwentyConnectionsAtOnce(Framing framing) throws Exception {
        try (FaultProxy framed = FaultProxy.to("localhost", echo.port(), framing)) {
            ExecutorService clients = Executors.newFixedThreadPool(20);
            List<Future<Boolean>> intact = new ArrayList<>();
            for (int seed = 0; seed < 20; seed++) {
                byte[] bytes = randomBytes(seed, 300_000);
                intact.add(clients.submit(() -> comesBackUnchanged(framed.port(), bytes)));
            }
            for (Future<Boolean> result : intact) {
                assertThat(result.get(30, TimeUnit.SECONDS)).isTrue();
            }
            clients.shutdown();
            assertThat(framed.accepted()).isEqualTo(20);
        }
    }

    @Test
    void halfClosedStreamDeliversTheRest() throws Exception {
        byte[] bytes = randomBytes(7, 3_000_000);
        assertThat(comesBackUnchanged(proxy.port(), bytes)).isTrue();
        ProxiedConnection connection = proxy.newest();
        connection.awaitClosed(ofSeconds(10));
        assertThat(connection.received(TO_SERVER)).isEqualTo(bytes.length);
        assertThat(connection.delivered(TO_CLIENT)).isEqualTo(bytes.length);
    }

    /** Everything is sent and ended before the first byte is read, so the server's side stays open in one direction. */
    private static boolean comesBackUnchanged(int port, byte[] bytes) throws Exception {
        try (TinyClient client = new TinyClient(port)) {
            Thread writer = new Thread(() -> sendAndEnd(client, bytes));
            writer.start();
            byte[] back = client.readToEnd();
            writer.join();
            return Arrays.equals(back, bytes);
        }
    }

    private static void sendAndEnd(TinyClient client, byte[] bytes) {
        try {
            client.write(bytes);
            client.endOutput();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    @Test
    void connectionsAreListedWithTheirFigures() throws Exception {
        try (TinyClient one = new TinyClient(proxy.port());
                TinyClient two = new TinyClient(proxy.port())) {
            one.write("hello".getBytes(US_ASCII));
            assertThat(one.read(5)).asString(US_ASCII).isEqualTo("hello");
            ProxiedConnection first = proxy.awaitConnection(1, ofSeconds(10));
            ProxiedConnection second = proxy.awaitConnection(2, ofSeconds(10));
            assertThat(proxy.connections()).containsExactly(first, second);
            assertThat(proxy.newest()).isSameAs(second);
            assertThat(first.clientPort()).isEqualTo(one.localPort());
            assertThat(first.received(TO_SERVER)).isEqualTo(5);
            assertThat(first.delivered(TO_CLIENT)).isEqualTo(5);
            assertThat(first.messages(TO_SERVER)).isEqualTo(1);
            assertThat(second.received(TO_SERVER)).isZero();

            one.close();
            first.awaitClosed(ofSeconds(10));
            assertThat(proxy.connections()).containsExactly(second);
            assertThat(proxy.connection(1)).isSameAs(first);
            assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(() -> proxy.connection(3));
        }
    }

    @Test
    void hookComesBeforeTheFirstByte() throws Exception {
        proxy.onConnect(connection -> {
            if (connection.number() == 2) {
                connection.drop(TO_SERVER);
            }
        });
        try (TinyClient one = new TinyClient(proxy.port())) {
            one.write(new byte[] {1});
            assertThat(one.read(1)).containsExactly(1);
        }
        try (TinyClient two = new TinyClient(proxy.port())) {
            two.write(new byte[] {2});
            assertThat(two.receivesNothing(200)).isTrue();
            assertThat(proxy.connection(2).received(TO_SERVER)).isEqualTo(1);
            assertThat(proxy.connection(2).delivered(TO_SERVER)).isZero();
        }
    }

    @Test
    void newConnectionsGoToTheNewTarget() throws Exception {
        try (CountingRedis redis = new CountingRedis();
                TinyClient old = new TinyClient(proxy.port())) {
            old.write(new byte[] {1});
            assertThat(old.read(1)).containsExactly(1);
            proxy.retarget("localhost", redis.port());
            old.write(new byte[] {2});
            assertThat(old.read(1)).containsExactly(2);
            try (TinyClient client = new TinyClient(proxy.port())) {
                assertThat(client.ask("PING")).isEqualTo(":1");
            }
        }
    }

    @Test
    void refusedConnectionsAreRefusedByTheSystemUntilHealed() throws Exception {
        try (TinyClient open = new TinyClient(proxy.port())) {
            try (Fault refusal = proxy.refuse()) {
                assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new TinyClient(proxy.port()));
                assertThat(refusal.acted()).isEqualTo(1);
                open.write(new byte[] {1});
                assertThat(open.read(1)).containsExactly(1);
            }
            assertThat(comesBackUnchanged(proxy.port(), randomBytes(1, 1_000))).isTrue();
        }
    }

    @Test
    void portStaysClosedUntilTheLastRefusalIsHealed() throws Exception {
        Fault one = proxy.refuse();
        Fault two = proxy.refuse();
        one.heal();
        assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new TinyClient(proxy.port()));
        two.heal();
        assertThat(comesBackUnchanged(proxy.port(), randomBytes(1, 1_000))).isTrue();
    }

    @Test
    void rejectedConnectionsAreCounted() throws Exception {
        try (Fault rejection = proxy.reject()) {
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(SocketException.class).isThrownBy(() -> readOnce(proxy));
            }
            rejection.awaitActed(3, ofSeconds(10));
        }
        assertThat(proxy.acted(FaultKind.REFUSE)).isEqualTo(3);
        assertThat(proxy.accepted()).isZero();
        assertThat(comesBackUnchanged(proxy.port(), randomBytes(1, 1_000))).isTrue();
    }

    private static void readOnce(FaultProxy through) throws IOException {
        try (TinyClient client = new TinyClient(through.port())) {
            client.read(1);
        }
    }

    @Test
    void clientOfAnUnreachableTargetIsReset() throws Exception {
        echo.close();
        assertThatExceptionOfType(SocketException.class).isThrownBy(() -> readOnce(proxy));
    }

    @Test
    void resetOfAClientReachesTheServer() throws Exception {
        List<String> ends = new CopyOnWriteArrayList<>();
        try (TinyServer server = new TinyServer(client -> ends.add(endOf(client.getInputStream())))) {
            proxy.retarget("localhost", server.port());
            TinyClient client = new TinyClient(proxy.port());
            client.write(new byte[] {1});
            ProxiedConnection connection = proxy.awaitConnection(1, ofSeconds(10));
            while (connection.delivered(TO_SERVER) == 0) {
                Thread.onSpinWait();
            }
            client.abort();
            connection.awaitClosed(ofSeconds(10));
            while (ends.isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(ends).containsExactly("reset");
        }
    }

    private static String endOf(InputStream in) {
        try {
            in.readAllBytes();
            return "end";
        } catch (IOException reset) {
            return "reset";
        }
    }

    @Test
    void nothingIsLeftAfterClose() throws Exception {
        Path descriptors = Path.of("/proc/self/fd");
        CountDownLatch over = new CountDownLatch(1);
        try (TinyServer greeter = new TinyServer(client -> greetAndWait(client, over));
                FaultProxy closed = FaultProxy.to("localhost", greeter.port())) {
            List<TinyClient> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                clients.add(new TinyClient(closed.port()));
            }
            for (TinyClient client : clients) {
                assertThat(client.read(1)).containsExactly(1);
            }
            clients.get(0).write(new byte[100]);
            Fault held = closed.hold(TO_SERVER);
            clients.get(1).write(new byte[100]);
            held.awaitActed(ofSeconds(10));
            assertThat(threadNames()).contains("fault-proxy-" + closed.port());
            long before = sockets(descriptors);

            closed.close();

            assertThat(threadNames()).doesNotContain("fault-proxy-" + closed.port());
            for (TinyClient client : clients) {
                assertThat(client.readToEnd()).isEmpty();
            }
            assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new TinyClient(closed.port()));
            if (Files.exists(descriptors)) {
                // The port, and two sockets for each connection. Clients and servers still have theirs.
                assertThat(sockets(descriptors)).isLessThanOrEqualTo(before - 11);
            }
            over.countDown();
            for (TinyClient client : clients) {
                client.close();
            }
        }
    }

    private static void greetAndWait(Socket client, CountDownLatch over) throws IOException {
        client.getOutputStream().write(1);
        try {
            over.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> threadNames() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }

    private static long sockets(Path descriptors) throws IOException {
        if (!Files.exists(descriptors)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(descriptors)) {
            return all.filter(FaultProxyTest::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException goneMeanwhile) {
            return false;
        }
    }

    @Test
    void closedProxyRefusesFaultsAndAllowsHealing() {
        Fault fault = proxy.drop(TO_SERVER);
        proxy.close();
        fault.heal();
        proxy.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> proxy.drop(TO_SERVER))
                .withMessage("The proxy is closed");
    }

    @Test
    void closeReportsAnErrorOfAHook() throws Exception {
        FaultProxy broken = FaultProxy.to("localhost", echo.port());
        broken.onConnect(connection -> {
            throw new UnsupportedOperationException("hook");
        });
        assertThatExceptionOfType(SocketException.class).isThrownBy(() -> readOnce(broken));
        assertThatIllegalStateException().isThrownBy(broken::close).withMessageContaining("hook");
        assertThat(threadNames()).doesNotContain("fault-proxy-" + broken.port());
    }

    static byte[] randomBytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
