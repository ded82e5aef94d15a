package dev.interlock.testkit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports on loopback.
 *
 * @since 0.1.0
 */
public final class Ports {
    /**
     * Below the range from which the system takes the ports of outgoing connections. Otherwise a server that is down
     * for a moment could lose its port to such a connection, and a client that keeps retrying could connect to itself.
     */
    private static final int FIRST = 10_000;

    private static final int END = 32_000;
    private static final int TRIES = 10_000;

    private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    /** Returns a port that no process listens on and that this JVM did not get before. */
    public static int free() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port) && TAKEN.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException("No free port found between " + FIRST + " and " + END + ".");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
