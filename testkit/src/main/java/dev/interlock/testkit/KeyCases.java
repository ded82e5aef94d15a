package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.INTROSPECTION;
import static dev.interlock.testkit.Capability.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Key names that a store might truncate, fold, escape or split: two different keys never share a lock. */
abstract class KeyCases {
    private static final int MAX = LockKey.MAX_BYTES;

    private final TckCase tck;

    KeyCases(TckCase tck) {
        this.tck = tck;
    }

    /** All different, many of them in one detail only. */
    private static List<LockKey> unusual() {
        return Stream.of(
                        // Length, including differences at the very end.
                        "x",
                        "x".repeat(MAX),
                        "x".repeat(MAX - 1),
                        "x".repeat(MAX - 1) + "y",
                        "😀".repeat(MAX / 4),
                        "😀".repeat(MAX / 4 - 1) + "😁",
                        "%".repeat(MAX),
                        "'".repeat(MAX),
                        // Letter case, accents, width, composed and decomposed.
                        "order:a",
                        "order:A",
                        "ORDER:A",
                        "straße",
                        "strasse",
                        "STRASSE",
                        "caf\u00e9",
                        "cafe\u0301",
                        "cafe",
                        "\uff41",
                        "\u0131",
                        "i",
                        "I",
                        "\u0130",
                        // Blanks.
                        "blank",
                        "blank ",
                        " blank",
                        "bl ank",
                        "bl\u00a0ank",
                        "blank\u3000",
                        "bl\u200bank",
                        // Quotes, escapes, wildcards, brackets.
                        "q'q",
                        "q''q",
                        "q\"q",
                        "q`q",
                        "q\\q",
                        "q\\\\q",
                        "q\\nq",
                        "q%q",
                        "q%25q",
                        "q%%q",
                        "q_q",
                        "q*q",
                        "q?q",
                        "q[a]q",
                        "{tag}a",
                        "{tag}b",
                        "{tag}",
                        "tag",
                        "{}",
                        "}{",
                        "{",
                        "${x}",
                        "'; drop table locks; --",
                        // Paths.
                        "a/b",
                        "/a/b",
                        "a//b",
                        "a/b/",
                        "a%2Fb",
                        "a\\b",
                        ".",
                        "..",
                        "...",
                        "a/../b",
                        "../a",
                        "a.b",
                        "a:b",
                        "a:b:",
                        ":a",
                        "a::b",
                        "/",
                        "//",
                        // Words that a store may use internally.
                        "lock",
                        "queue",
                        "null",
                        "zookeeper",
                        "lock:a:b",
                        "0",
                        "00",
                        "-0",
                        "1e0",
                        // Other scripts, right to left, supplementary planes, joined emoji.
                        "价格",
                        "価格",
                        "שלום",
                        "םולש",
                        "\u202eabc",
                        "abc\u202c",
                        "مرحبا",
                        "😀",
                        "👩‍👩‍👧",
                        "👩👩👧",
                        "\ufeffx",
                        "\ufffd",
                        "\uffff",
                        "𝒳")
                .map(LockKey::of)
                .sorted()
                .toList();
    }

    @Test
    void differentKeysNeverShareALock() {
        StoreProcess process = tck.process();
        List<LockKey> keys = unusual();
        assertThat(keys).doesNotHaveDuplicates();
        List<Granted> granted =
                keys.stream().map(key -> process.ask(key).granted()).toList();
        assertThat(keys).as("keys that are held").noneMatch(process::isFree);
        // If one release had freed a second key, the release of that key would find nothing.
        assertThat(granted).extracting(process::release).containsOnly(ReleaseAnswer.RELEASED);
        assertThat(keys).as("keys that were released").allMatch(process::isFree);
    }

    @Test
    void unusualKeysCanBeAcquiredTogether() {
        StoreProcess process = tck.process();
        assertThat(process.ask(unusual()).allGranted()).hasSameSizeAs(unusual());
    }

    @Test
    @Requires(QUEUE)
    void unusualKeysCanBeWaitedFor() {
        StoreProcess holder = tck.process();
        StoreProcess waiting = tck.process();
        for (LockKey key : unusual()) {
            Granted held = holder.ask(key).granted();
            TckAttempt waiter = waiting.ask(key).queueing();
            waiter.queued();
            waiter.stillWaits();
            holder.release(held);
            waiter.won();
        }
    }

    @Test
    @Requires(INTROSPECTION)
    void unusualKeysAreListedUnchangedAndInOrder() {
        StoreProcess process = tck.process();
        process.ask(unusual()).allGranted();
        assertThat(process.snapshot("")).extracting(LockSnapshot::key).isEqualTo(unusual());
    }
}
