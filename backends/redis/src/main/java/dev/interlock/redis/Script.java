package dev.interlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;

/** The scripts: what each does is told at the top of its file. */
enum Script {
    ATTEMPT,
    TAKE,
    WAIT,
    WITHDRAW,
    RENEW,
    RELEASE,
    FORCE,
    DESCRIBE,
    RAISE,
    TERMS,
    NOTES,
    PROBE,
    FENCE;

    private static final String RECORD = "--#include record.lua\n";
    private static final String ASK = "--#include ask.lua\n";

    private final String text;
    private final String digest;

    Script() {
        text = read(name().toLowerCase(Locale.ROOT) + ".lua")
                .replace(RECORD, read("record.lua"))
                .replace(ASK, read("ask.lua"));
        digest = sha1(text);
    }

    String text() {
        return text;
    }

    /** The name under which the server knows it once it has been loaded. */
    String digest() {
        return digest;
    }

    private static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file, e);
        }
    }

    private static String sha1(String text) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return HexFormat.of().formatHex(sha1.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
