package dev.interlock.testkit.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Selects the messages of a fault: requests, replies or pushes that pass a test.
 *
 * <p>The {@link Framing} of the proxy defines what a message is. If a request or reply has several messages, the first
 * one that passes the test decides for the rest. Immutable: each fault counts its own matches, over all its
 * connections.
 *
 * @since 0.1.0
 */
public final class Matching {
    /** The three roles a message can have. */
    enum Role {
        REQUEST,
        REPLY,
        PUSH;

        Direction direction() {
            return this == REQUEST ? Direction.TO_SERVER : Direction.TO_CLIENT;
        }
    }

    private static final int EVERY = 0;

    private final Role role;
    private final Predicate<byte[]> test;
    private final String words;
    private final int nth;

    private Matching(Role role, Predicate<byte[]> test, String words, int nth) {
        this.role = role;
        this.test = test;
        this.words = words;
        this.nth = nth;
    }

    /** Every request. */
    public static Matching anyRequest() {
        return any(Role.REQUEST);
    }

    /** Requests that contain this ASCII text, ignoring case. */
    public static Matching requestContaining(String text) {
        return containing(Role.REQUEST, text);
    }

    /**
     * Requests that pass a test. The test runs on the proxy's thread: it must not block, and must not change the bytes.
     */
    public static Matching request(Predicate<byte[]> test) {
        return new Matching(Role.REQUEST, Objects.requireNonNull(test), "request that passes a test", EVERY);
    }

    /** Every reply. */
    public static Matching anyReply() {
        return any(Role.REPLY);
    }

    /** Replies that contain this ASCII text, ignoring case. */
    public static Matching replyContaining(String text) {
        return containing(Role.REPLY, text);
    }

    /** Replies that pass a test; the same rules apply as for {@link #request}. */
    public static Matching reply(Predicate<byte[]> test) {
        return new Matching(Role.REPLY, Objects.requireNonNull(test), "reply that passes a test", EVERY);
    }

    /** Everything a server sends without a request, such as messages of subscriptions. */
    public static Matching anyPush() {
        return any(Role.PUSH);
    }

    /** Pushes that contain this ASCII text, for example a channel, ignoring case. */
    public static Matching pushContaining(String text) {
        return containing(Role.PUSH, text);
    }

    /**
     * Only the n-th of these messages, counted from the injection of the fault.
     *
     * @param n from 1
     */
    public Matching nth(int n) {
        if (n < 1) {
            throw new IllegalArgumentException("There is no match number " + n + ": the first is 1");
        }
        return new Matching(role, test, words, n);
    }

    Role role() {
        return role;
    }

    boolean fits(byte[] message) {
        return test.test(message);
    }

    boolean wants(int count) {
        return nth == EVERY || nth == count;
    }

    @Override
    public String toString() {
        return nth == EVERY ? words : words + ", number " + nth;
    }

    private static Matching any(Role role) {
        return new Matching(role, message -> true, "any " + role.name().toLowerCase(Locale.ROOT), EVERY);
    }

    private static Matching containing(Role role, String text) {
        if (text.isEmpty() || !US_ASCII.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException("Cannot look for \"" + text + "\": give one or more ASCII characters");
        }
        byte[] wanted = text.toLowerCase(Locale.ROOT).getBytes(US_ASCII);
        String words = role.name().toLowerCase(Locale.ROOT) + " containing \"" + text + "\"";
        return new Matching(role, message -> contains(message, wanted), words, EVERY);
    }

    private static boolean contains(byte[] message, byte[] wanted) {
        for (int at = 0; at + wanted.length <= message.length; at++) {
            if (isAt(message, at, wanted)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAt(byte[] message, int at, byte[] wanted) {
        for (int i = 0; i < wanted.length; i++) {
            byte b = message[at + i];
            byte lower = b >= 'A' && b <= 'Z' ? (byte) (b + 'a' - 'A') : b;
            if (lower != wanted[i]) {
                return false;
            }
        }
        return true;
    }
}
