package dev.interlock.testkit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports on loopback. */
public final class Ports {
    /**
     * Below the range from which the system takes the ports of outgoing connections. A server that is down for a moment would
     * lose its port to one of them; worse, a client that tries again and again would at last connect to itself.
     */
    private static final int FIRST = 10_000;

    private static final int END = 32_000;
    private static final int TRIES = 10_000;

    private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    /** A port that nothing listens on and that this JVM was not given before. */
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
