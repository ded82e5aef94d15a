package dev.interlock.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Prints the cost of the proxy without faults. It asserts only that everything arrived, because the speed depends on
 * the machine.
 */
@Tag("full")
class ProxySpeedTest {
    private static final int ROUNDS = 5_000;
    private static final int MEGABYTES = 500;

    @Test
    void printsTheLatencyItAdds() throws IOException {
        try (TinyServer echo = TinyServer.echo();
                FaultProxy raw = FaultProxy.to("localhost", echo.port());
                FaultProxy resp = FaultProxy.to("localhost", echo.port(), Framing.resp())) {
            long direct = median(echo.port());
            System.out.printf(
                    "Round trip, p50 of %d: direct %.1f us, through the proxy %.1f us (raw) and %.1f us (RESP)%n",
                    ROUNDS, direct / 1e3, median(raw.port()) / 1e3, median(resp.port()) / 1e3);
            assertThat(raw.accepted()).isEqualTo(1);
        }
    }

    @Test
    void printsItsThroughput() throws IOException {
        try (TinyServer source = new TinyServer(client -> pour(client.getOutputStream()))) {
            System.out.printf("%d MB directly: %.0f MB/s%n", MEGABYTES, drain(source.port()));
            try (FaultProxy raw = FaultProxy.to("localhost", source.port())) {
                System.out.printf("%d MB through the proxy: %.0f MB/s%n", MEGABYTES, drain(raw.port()));
            }
        }
    }

    private static long median(int port) throws IOException {
        long[] nanos = new long[ROUNDS];
        byte[] request = TinyClient.command("PING");
        try (TinyClient client = new TinyClient(port)) {
            for (int warmUp = 0; warmUp < 2; warmUp++) {
                for (int i = 0; i < ROUNDS; i++) {
                    long start = System.nanoTime();
                    client.write(request);
                    client.read(request.length);
                    nanos[i] = System.nanoTime() - start;
                }
            }
        }
        Arrays.sort(nanos);
        return nanos[ROUNDS / 2];
    }

    private static void pour(OutputStream out) throws IOException {
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < MEGABYTES; i++) {
            out.write(block);
        }
    }

    /** Returns megabytes per second. */
    private static double drain(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            InputStream in = socket.getInputStream();
            byte[] block = new byte[1 << 18];
            long start = System.nanoTime();
            long total = 0;
            for (int read = in.read(block); read >= 0; read = in.read(block)) {
                total += read;
            }
            assertThat(total).isEqualTo((long) MEGABYTES << 20);
            return total / 1e6 / ((System.nanoTime() - start) / 1e9);
        }
    }
}
