package dev.interlock.testkit.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that speaks RESP and numbers the requests of all clients: the answer to the n-th request is n.
 *
 * <p>SUBSCRIBE is confirmed by a push. PUBLISH sends its second word as a push to its own client before it is answered.
 */
final class CountingRedis implements AutoCloseable {
    private final AtomicInteger count = new AtomicInteger();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
    private final TinyServer server = new TinyServer(this::serve);

    int port() {
        return server.port();
    }

    /** All processed requests, in order. */
    List<String> log() {
        return List.copyOf(log);
    }

    /** Waits for the next request that was not returned yet. */
    String next() throws InterruptedException {
        String request = news.poll(10, TimeUnit.SECONDS);
        return request == null ? "no request arrived" : request;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void serve(Socket client) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(new BufferedInputStream(client.getInputStream()), US_ASCII));
        OutputStream out = client.getOutputStream();
        for (String head = in.readLine(); head != null; head = in.readLine()) {
            String[] words = new String[Integer.parseInt(head.substring(1))];
            for (int i = 0; i < words.length; i++) {
                in.readLine();
                words[i] = in.readLine();
            }
            out.write(carryOut(words).getBytes(US_ASCII));
        }
    }

    private String carryOut(String[] words) {
        String request = String.join(" ", words);
        log.add(request);
        String answer = ":" + count.incrementAndGet() + "\r\n";
        news.add(request);
        return switch (words[0]) {
            case "SUBSCRIBE" -> ">3\r\n$9\r\nsubscribe\r\n+" + words[1] + "\r\n:1\r\n";
            case "PUBLISH" -> ">3\r\n$7\r\nmessage\r\n+" + words[1] + "\r\n+hello\r\n" + answer;
            default -> answer;
        };
    }
}
