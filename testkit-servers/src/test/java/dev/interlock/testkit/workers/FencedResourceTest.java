package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testkit.history.EventLog;
import dev.interlock.testkit.history.History;
import dev.interlock.testkit.process.Folders;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("server")
class FencedResourceTest {
    private static final WriterIdentity OLD = new WriterIdentity(1, 100, 7);
    private static final WriterIdentity NEW = new WriterIdentity(2, 200, 8);

    private final Path folder = Folders.temporary("resource");
    private final List<FencedResource> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(FencedResource::close);
        Folders.delete(folder);
    }

    private FencedResource start(EventLog.Role role) {
        FencedResource resource = FencedResource.start(
                folder.resolve(role + ".log"), new EventLog.Writer(90, "resource", role), 2_000_000);
        started.add(resource);
        return resource;
    }

    private ResourceClient fenced() {
        return start(EventLog.Role.FENCED_RESOURCE).connect();
    }

    @Test
    void smallerTokenIsRefusedAfterALargerOneWasShown() {
        try (ResourceClient client = fenced()) {
            assertThat(client.raise("a", OLD).accepted()).isTrue();
            assertThat(client.write("a", OLD, 0, 1)).isEqualTo(new ResourceAnswer(true, 1, 7));
            assertThat(client.raise("a", NEW)).isEqualTo(new ResourceAnswer(true, 1, 8));
            assertThat(client.write("a", OLD, 1, 2)).isEqualTo(new ResourceAnswer(false, 1, 8));
            assertThat(client.raise("a", OLD).accepted()).isFalse();
            assertThat(client.read("a", OLD)).isEqualTo(new ResourceAnswer(true, 1, 8));
        }
    }

    @Test
    void equalTokenIsAcceptedFromItsOwnerOnly() {
        try (ResourceClient client = fenced()) {
            client.raise("a", NEW);
            assertThat(client.write("a", NEW, 0, 1).accepted()).isTrue();
            assertThat(client.write("a", NEW, 1, 2).accepted()).isTrue();
            assertThat(client.write("a", new WriterIdentity(3, 300, 8), 2, 3).accepted())
                    .isFalse();
            assertThat(client.inspect("a").value()).isEqualTo(2);
        }
    }

    @Test
    void fenceOfOneKeyIsNotThatOfAnother() {
        try (ResourceClient client = fenced()) {
            client.raise("a", NEW);
            assertThat(client.raise("b", OLD).accepted()).isTrue();
        }
    }

    @Test
    void unfencedTwinAcceptsEverything() {
        try (ResourceClient client = start(EventLog.Role.UNFENCED_RESOURCE).connect()) {
            client.raise("a", NEW);
            assertThat(client.write("a", OLD, 0, 1)).isEqualTo(new ResourceAnswer(true, 1, 8));
        }
    }

    @Test
    void everyAnswerIsInTheLogEvenIfTheResourceIsKilled() throws IOException {
        FencedResource resource = start(EventLog.Role.FENCED_RESOURCE);
        try (ResourceClient client = resource.connect()) {
            for (int i = 0; i < 1_000; i++) {
                client.write("a", NEW, i, i + 1);
            }
            resource.close();
            assertThatThrownBy(() -> client.inspect("a")).isInstanceOf(UncheckedIOException.class);
        }
        History history = History.read(List.of(resource.log()));
        assertThat(history.size()).isEqualTo(1_000);
        assertThat(history.unfinished()).isZero();
    }

    @Test
    void clientThatSendsNonsenseOrHalfARequestAffectsNoOther() throws IOException {
        FencedResource resource = start(EventLog.Role.FENCED_RESOURCE);
        try (ResourceClient client = resource.connect();
                Socket half = new Socket(InetAddress.getLoopbackAddress(), resource.port());
                Socket nonsense = new Socket(InetAddress.getLoopbackAddress(), resource.port())) {
            send(half, new byte[] {0, 60, 2, 1});
            send(nonsense, new byte[] {
                0, 44, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
            });
            nonsense.setSoTimeout(10_000);
            assertThat(nonsense.getInputStream().read()).as("it is cut off").isEqualTo(-1);
            half.close();
            assertThat(client.write("a", NEW, 0, 1).accepted()).isTrue();
        }
    }

    private static void send(Socket socket, byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(bytes);
        out.flush();
    }

    /** The figure is only printed. The assertion is far below it, so that a busy machine does not fail the test. */
    @Test
    void severalConnectionsAreServedFast() throws Exception {
        FencedResource resource = start(EventLog.Role.FENCED_RESOURCE);
        int connections = 8;
        int requests = 20_000;
        pound(resource, connections, requests / 4);
        long start = System.nanoTime();
        pound(resource, connections, requests);
        double seconds = (System.nanoTime() - start) / 1e9;
        double rate = connections * requests / seconds;
        System.out.printf("The resource answered %,.0f requests/s over %d connections.%n", rate, connections);
        assertThat(rate).isGreaterThan(5_000);
    }

    private static void pound(FencedResource resource, int connections, int requests) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                String key = "key-" + i;
                running.add(CompletableFuture.runAsync(() -> pound(resource, key, requests), threads));
            }
            for (CompletableFuture<Void> one : running) {
                one.get(50, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void pound(FencedResource resource, String key, int requests) {
        try (ResourceClient client = resource.connect()) {
            for (int i = 0; i < requests; i++) {
                client.write(key, NEW, i, i + 1);
            }
        }
    }
}
