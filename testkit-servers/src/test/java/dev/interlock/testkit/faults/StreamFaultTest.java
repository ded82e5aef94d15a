package dev.interlock.testkit.faults;

import static dev.interlock.testkit.faults.Direction.TO_CLIENT;
import static dev.interlock.testkit.faults.Direction.TO_SERVER;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Faults that ignore message boundaries, on a server that echoes its input. */
class StreamFaultTest {
    private final TinyServer echo = TinyServer.echo();
    private final FaultProxy proxy = FaultProxy.to("localhost", echo.port());
    private TinyClient client;
    private TinyClient other;

    @BeforeEach
    void connect() throws IOException {
        client = new TinyClient(proxy.port());
        proxy.awaitConnection(1, ofSeconds(10));
        other = new TinyClient(proxy.port());
        proxy.awaitConnection(2, ofSeconds(10));
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        other.close();
        proxy.close();
        echo.close();
    }

    private static void exchange(TinyClient with, int seed, int length) throws IOException {
        byte[] bytes = FaultProxyTest.randomBytes(seed, length);
        with.write(bytes);
        assertThat(with.read(length)).isEqualTo(bytes);
    }

    /** Returns the time of one byte to the server and back. */
    private static Duration roundTrip(TinyClient with) throws IOException {
        long start = System.nanoTime();
        exchange(with, 5, 1);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Nested
    class Slowness {
        @Test
        void delaysAddUpOverBothDirections() throws IOException {
            try (Fault there = proxy.delay(TO_SERVER, ofMillis(100));
                    Fault back = proxy.delay(TO_CLIENT, ofMillis(150))) {
                assertThat(roundTrip(client)).isGreaterThanOrEqualTo(ofMillis(250));
                assertThat(there.acted()).isEqualTo(1);
                assertThat(back.acted()).isEqualTo(1);
            }
            assertThat(proxy.acted(FaultKind.DELAY)).isEqualTo(2);
            exchange(client, 1, 50_000);
            assertThat(proxy.acted(FaultKind.DELAY)).isEqualTo(2);
        }

        @Test
        void delayOfOneConnectionLeavesTheOthersAlone() throws IOException {
            try (Fault delay = proxy.connection(1).delay(TO_CLIENT, ofSeconds(8))) {
                client.write(new byte[] {1});
                delay.awaitActed(ofSeconds(10));
                exchange(other, 1, 1_000);
                assertThat(delay.acted()).isEqualTo(1);
                assertThat(proxy.connection(2).acted(FaultKind.DELAY)).isZero();
                assertThat(proxy.connection(1).delivered(TO_CLIENT)).isZero();
            }
        }

        /** Twenty messages one after the other would take two seconds; a delay does not reduce the throughput. */
        @Test
        void delayedMessagesOverlap() throws Exception {
            try (Fault delay = proxy.connection(1).delay(TO_SERVER, ofMillis(500))) {
                ProxiedConnection connection = proxy.connection(1);
                for (int sent = 1; sent <= 20; sent++) {
                    client.write(new byte[] {(byte) sent});
                    delay.awaitActed(sent, ofSeconds(10));
                }
                assertThat(client.read(20)).startsWith(1, 2, 3).endsWith(19, 20);
                assertThat(connection.messages(TO_SERVER)).isEqualTo(20);
                // They came back in fewer reads than there were delays, so they did not wait for each other.
                assertThat(connection.messages(TO_CLIENT)).isLessThan(20);
            }
        }

        @Test
        void jitterKeepsTheOrder() throws IOException {
            try (Fault there = proxy.jitter(TO_SERVER, ofMillis(20));
                    Fault back = proxy.jitter(TO_CLIENT, ofMillis(20))) {
                byte[] bytes = FaultProxyTest.randomBytes(3, 40);
                for (int i = 0; i < bytes.length; i++) {
                    client.write(new byte[] {bytes[i]});
                    there.awaitActed(i + 1, ofSeconds(10));
                }
                assertThat(client.read(bytes.length)).isEqualTo(bytes);
                assertThat(back.acted()).isPositive();
            }
        }

        @Test
        void dripDeliversAFewBytesAtATime() throws IOException {
            try (Fault drip = proxy.drip(TO_SERVER, 2, ofMillis(30))) {
                long start = System.nanoTime();
                exchange(client, 1, 10);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(ofMillis(4 * 30));
                assertThat(drip.acted()).isGreaterThanOrEqualTo(4);
            }
            exchange(client, 2, 100_000);
        }

        @Test
        void bandwidthIsLimitedForEachConnection() throws IOException {
            try (Fault limit = proxy.bandwidth(TO_CLIENT, 1_000_000)) {
                long start = System.nanoTime();
                exchange(client, 1, 300_000);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(ofMillis(250));
                assertThat(limit.acted()).isPositive();
                assertThat(proxy.connection(2).acted(FaultKind.PACE)).isZero();
            }
            exchange(client, 2, 300_000);
        }

        @Test
        void healingDeliversWhatWasSlowedDown() throws IOException {
            Fault drip = proxy.drip(TO_CLIENT, 1, Duration.ofHours(1));
            client.write(new byte[] {1, 2, 3});
            drip.awaitActed(ofSeconds(10));
            assertThat(client.read(1)).containsExactly(1);
            drip.heal();
            assertThat(client.read(2)).containsExactly(2, 3);
        }

        @Test
        void bandwidthOfLessThanAByteInASliceIsKept() throws IOException {
            try (Fault limit = proxy.bandwidth(TO_SERVER, 20)) {
                long start = System.nanoTime();
                exchange(client, 1, 4);
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(ofMillis(150));
                assertThat(limit.acted()).isGreaterThanOrEqualTo(3);
            }
        }
    }

    @Nested
    class Silence {
        @Test
        void droppedBytesStayLostAndTheConnectionLives() throws IOException {
            try (Fault drop = proxy.drop(TO_SERVER)) {
                client.write(new byte[] {1, 2, 3});
                drop.awaitActed(ofSeconds(10));
                assertThat(client.receivesNothing(100)).isTrue();
            }
            exchange(client, 1, 10_000);
            assertThat(proxy.connection(1).received(TO_SERVER)).isEqualTo(10_003);
            assertThat(proxy.connection(1).delivered(TO_SERVER)).isEqualTo(10_000);
        }

        @Test
        void blackHoleIsOneWay() throws IOException {
            try (Fault drop = proxy.connection(1).drop(TO_CLIENT)) {
                client.write(new byte[] {1, 2, 3});
                drop.awaitActed(ofSeconds(10));
                assertThat(proxy.connection(1).delivered(TO_SERVER)).isEqualTo(3);
                assertThat(proxy.connection(1).delivered(TO_CLIENT)).isZero();
                exchange(other, 1, 100);
            }
            exchange(client, 2, 100);
        }

        @Test
        void endOfASilencedSenderIsDeliveredAfterHealing() throws IOException {
            Fault drop = proxy.connection(1).drop(TO_SERVER);
            client.write(new byte[] {1});
            drop.awaitActed(ofSeconds(10));
            client.endOutput();
            assertThat(client.receivesNothing(100)).isTrue();
            drop.heal();
            assertThat(client.readToEnd()).isEmpty();
        }

        @Test
        void heldBytesArriveInOrderAfterHealing() throws IOException {
            byte[] bytes = FaultProxyTest.randomBytes(9, 200_000);
            try (Fault hold = proxy.connection(1).hold(TO_SERVER)) {
                client.write(bytes);
                hold.awaitActed(ofSeconds(10));
                assertThat(client.receivesNothing(100)).isTrue();
                assertThat(proxy.connection(1).delivered(TO_SERVER)).isZero();
                exchange(other, 1, 100);
            }
            assertThat(client.read(bytes.length)).isEqualTo(bytes);
        }

        @Test
        void heldBytesReachTheServerWhenTheClientIsGone() throws Exception {
            Fault hold = proxy.hold(TO_SERVER);
            client.write(new byte[1_000]);
            hold.awaitActed(ofSeconds(10));
            client.abort();
            assertThat(proxy.connection(1).isOpen()).isTrue();
            hold.heal();
            proxy.connection(1).awaitClosed(ofSeconds(10));
            assertThat(proxy.connection(1).delivered(TO_SERVER)).isEqualTo(1_000);
        }

        /** The end of the connection shows that a late request was read, so it must not come earlier. */
        @Test
        void connectionOutlivesItsClientUntilTheServerIsDone() throws Exception {
            CountDownLatch mayRead = new CountDownLatch(1);
            CompletableFuture<Integer> read = new CompletableFuture<>();
            try (TinyServer slow = new TinyServer(from -> {
                awaitQuietly(mayRead);
                read.complete(from.getInputStream().readAllBytes().length);
            })) {
                proxy.retarget("localhost", slow.port());
                TinyClient leaving = new TinyClient(proxy.port());
                ProxiedConnection connection = proxy.awaitConnection(3, ofSeconds(10));
                Fault hold = connection.hold(TO_SERVER);
                leaving.write(new byte[1_000]);
                hold.awaitActed(ofSeconds(10));
                leaving.abort();
                hold.heal();
                assertThat(connection.delivered(TO_SERVER)).isEqualTo(1_000);
                assertThat(connection.isOpen()).isTrue();
                mayRead.countDown();
                assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(1_000);
                connection.awaitClosed(ofSeconds(10));
            }
        }

        private static void awaitQuietly(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        /** More than the proxy keeps: the sender must wait, and nothing is lost. */
        @Test
        void muchMoreCanBeHeldThanIsKept() throws Exception {
            byte[] bytes = FaultProxyTest.randomBytes(4, 40_000_000);
            Fault hold = proxy.hold(TO_SERVER);
            Thread writer = new Thread(() -> writeQuietly(bytes));
            writer.start();
            hold.awaitActed(10, ofSeconds(10));
            hold.heal();
            assertThat(client.read(bytes.length)).isEqualTo(bytes);
            writer.join();
        }

        private void writeQuietly(byte[] bytes) {
            try {
                client.write(bytes);
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }
    }

    @Nested
    class Endings {
        @Test
        void cutEndsBothSides() throws IOException {
            assertThat(proxy.connection(1).cut()).isEqualTo(1);
            assertThat(client.readToEnd()).isEmpty();
            proxy.connection(1).awaitClosed(ofSeconds(10));
            assertThat(proxy.acted(FaultKind.CUT)).isEqualTo(1);
            exchange(other, 1, 100);
            assertThat(proxy.cut()).isEqualTo(1);
            assertThat(proxy.connection(1).cut()).isZero();
        }

        @Test
        void resetIsSeenAsAReset() throws IOException {
            exchange(client, 1, 100);
            assertThat(proxy.connection(1).reset()).isEqualTo(1);
            assertThatExceptionOfType(SocketException.class)
                    .isThrownBy(() -> client.read(1))
                    .withMessageContaining("reset");
            exchange(other, 1, 100);
            assertThat(proxy.acted(FaultKind.RESET)).isEqualTo(1);
        }

        @Test
        void resetComesAfterExactlyThisManyBytes() throws IOException {
            Fault reset = proxy.resetAfter(TO_CLIENT, 777);
            byte[] bytes = FaultProxyTest.randomBytes(1, 2_000);
            client.write(bytes);
            assertThat(client.read(777)).isEqualTo(Arrays.copyOf(bytes, 777));
            assertThatExceptionOfType(SocketException.class).isThrownBy(() -> client.read(1));
            reset.awaitActed(ofSeconds(10));
            assertThat(proxy.connection(1).delivered(TO_CLIENT)).isEqualTo(777);
            reset.heal();
            exchange(other, 2, 2_000);
        }

        @Test
        void stormResetsRepeatedlyUntilHealed() throws IOException {
            try (Fault storm = proxy.resetStorm(ofMillis(5), ofMillis(20))) {
                while (storm.acted() < 5) {
                    try (TinyClient victim = new TinyClient(proxy.port())) {
                        victim.read(1);
                    } catch (SocketException reset) {
                        assertThat(reset).isNotNull();
                    }
                }
            }
            assertThat(proxy.acted(FaultKind.RESET)).isGreaterThanOrEqualTo(5);
            assertThat(proxy.connection(1).isOpen()).isFalse();
            try (TinyClient survivor = new TinyClient(proxy.port())) {
                exchange(survivor, 1, 100_000);
            }
        }

        @Test
        void halfCloseTowardsTheClientLeavesRequestsAlone() throws IOException {
            exchange(client, 1, 100);
            assertThat(proxy.connection(1).halfClose(TO_CLIENT)).isEqualTo(1);
            assertThat(client.readToEnd()).isEmpty();
            client.write(new byte[50]);
            client.endOutput();
            proxy.connection(1).awaitClosed(ofSeconds(10));
            assertThat(proxy.connection(1).delivered(TO_SERVER)).isEqualTo(150);
            assertThat(proxy.connection(1).delivered(TO_CLIENT)).isEqualTo(100);
            assertThat(proxy.acted(FaultKind.HALF_CLOSE)).isEqualTo(1);
        }

        /** The echo server ends its side when it reads the end of ours. */
        @Test
        void halfCloseTowardsTheServerIsReadThereAsTheEnd() throws IOException {
            exchange(client, 1, 100);
            proxy.connection(1).halfClose(TO_SERVER);
            assertThat(client.readToEnd()).isEmpty();
            proxy.connection(1).awaitClosed(ofSeconds(10));
        }
    }

    @Test
    void faultsOfProxyAndConnectionAddUp() throws IOException {
        try (Fault all = proxy.delay(TO_SERVER, ofMillis(60));
                Fault one = proxy.connection(1).delay(TO_SERVER, ofMillis(60))) {
            assertThat(roundTrip(client)).isGreaterThanOrEqualTo(ofMillis(120));
            assertThat(all.acted()).isEqualTo(1);
            assertThat(one.acted()).isEqualTo(1);
        }
    }

    @Test
    void waitForAFaultThatNeverActedFails() {
        Fault drop = proxy.drop(TO_SERVER);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> drop.awaitActed(ofMillis(10)))
                .withMessage("The fault drop TO_SERVER acted 0 times within PT0.01S, not 1");
    }

    @Test
    void badNumbersAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.delay(TO_CLIENT, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.drip(TO_CLIENT, 0, ofMillis(1)));
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.bandwidth(TO_CLIENT, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.resetAfter(TO_CLIENT, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.resetStorm(ofMillis(2), ofMillis(1)));
    }

    @Test
    void faultsAreChangedWhileTrafficFlows() throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Long> sent = CompletableFuture.supplyAsync(() -> sendUntil(enough));
        CompletableFuture<Void> disturbed =
                CompletableFuture.runAsync(this::disturb).whenComplete((done, failed) -> enough.set(true));
        assertThat(checksum(client.readToEnd())).isEqualTo(sent.get(10, TimeUnit.SECONDS));
        disturbed.get(10, TimeUnit.SECONDS);
    }

    /** Returns the checksum of everything that was sent. */
    private long sendUntil(AtomicBoolean enough) {
        CRC32 sum = new CRC32();
        try {
            for (int seed = 0; !enough.get(); seed++) {
                byte[] bytes = FaultProxyTest.randomBytes(seed, 1_000);
                sum.update(bytes);
                client.write(bytes);
            }
            client.endOutput();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        return sum.getValue();
    }

    private static long checksum(byte[] bytes) {
        CRC32 sum = new CRC32();
        sum.update(bytes);
        return sum.getValue();
    }

    /** Only faults that lose nothing; each of them acts. */
    private void disturb() {
        for (Direction direction : Direction.values()) {
            untilActed(proxy.hold(direction));
            untilActed(proxy.connection(1).jitter(direction, ofMillis(2)));
            untilActed(proxy.delay(direction, ofMillis(1)));
            untilActed(proxy.drip(direction, 1_000, ofMillis(1)));
            untilActed(proxy.connection(1).hold(direction));
        }
    }

    private static void untilActed(Fault fault) {
        try (fault) {
            fault.awaitActed(ofSeconds(10));
        }
    }
}
