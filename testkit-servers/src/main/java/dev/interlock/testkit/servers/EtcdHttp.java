package dev.interlock.testkit.servers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Requests to etcd's JSON interface. */
final class EtcdHttp {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int OK = 200;
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    private EtcdHttp() {}

    static String get(String url) throws IOException {
        return send(HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE).build());
    }

    static String post(String url, String json) throws IOException {
        return send(HttpRequest.newBuilder(URI.create(url))
                .timeout(PATIENCE)
                .POST(BodyPublishers.ofString(json))
                .build());
    }

    private static String send(HttpRequest request) throws IOException {
        try {
            HttpResponse<String> response = CLIENT.send(request, BodyHandlers.ofString());
            if (response.statusCode() != OK) {
                throw new IOException("etcd answered " + response.statusCode() + ": " + response.body());
            }
            return response.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while waiting for etcd", e);
        }
    }
}
