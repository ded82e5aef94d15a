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

/** The Lua scripts. The top of each file says what the script does, its keys and arguments, and its reply. */
enum Script {
    ATTEMPT,
    ATTEMPT_BATCH,
    HEARTBEAT,
    WITHDRAW,
    RENEW,
    RELEASE,
    FORCE_RELEASE,
    DESCRIBE,
    RAISE_COUNTER,
    AGREEMENT,
    WAIT_REPORTS,
    PROBE,
    FENCE;

    private final String text;
    private final String digest;

    Script() {
        text = include("checked-call.lua", include("record.lua", read(fileName())));
        digest = sha1(text);
    }

    String text() {
        return text;
    }

    /** The name of the script on a server that has loaded it. */
    String digest() {
        return digest;
    }

    private String fileName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".lua";
    }

    private static String include(String file, String script) {
        return script.replace("--#include " + file + '\n', read(file));
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
