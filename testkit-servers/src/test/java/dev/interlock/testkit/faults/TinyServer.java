package dev.interlock.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Accepts connections on a loopback port and serves each on a thread of its own, until it is closed. */
final class TinyServer implements AutoCloseable {
    interface Service {
        void serve(Socket client) throws IOException;
    }

    private final ServerSocket listener;
    private final Service service;
    private final Thread acceptor;
    private final List<Socket> clients = new CopyOnWriteArrayList<>();

    TinyServer(Service service) {
        this.service = service;
        try {
            this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        this.acceptor = start(this::acceptAll, "tiny-server");
    }

    /** Echoes its input to the end, then closes. */
    static TinyServer echo() {
        return new TinyServer(client -> {
            client.getInputStream().transferTo(client.getOutputStream());
        });
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        // The port accepts connections until the thread that waits in accept() has returned.
        try {
            acceptor.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        for (Socket client : clients) {
            client.close();
        }
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket client = listener.accept();
                client.setTcpNoDelay(true);
                clients.add(client);
                start(() -> serve(client), "tiny-server-client");
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket client) {
        try (client) {
            service.serve(client);
        } catch (IOException broken) {
            // These tests break connections on purpose.
        }
    }

    private static Thread start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
