package dev.interlock.testkit.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Splits a stream as a proxy does, for any sizes of reads. */
final class FramingProbe {
    private static final int RUNS = 50;

    private FramingProbe() {}

    /**
     * The messages of a stream, as text, with a mark for their part: none for the first, + for more, ! for aside.
     * Checks that the result does not depend on how the stream is read.
     */
    static List<String> split(Framing framing, Direction direction, byte[] stream) {
        List<String> whole = split(framing, direction, stream, stream.length, new Random(0));
        for (int seed = 0; seed < RUNS; seed++) {
            Random random = new Random(seed);
            List<String> again = split(framing, direction, stream, 1 + random.nextInt(9), random);
            if (!again.equals(whole)) {
                throw new AssertionError("Seed " + seed + " splits into " + again + ", one read into " + whole);
            }
        }
        return whole;
    }

    private static List<String> split(Framing framing, Direction direction, byte[] stream, int longest, Random random) {
        Framing.Splitter splitter = framing.splitter(direction);
        Assembly assembly = new Assembly(splitter);
        List<String> messages = new ArrayList<>();
        for (int at = 0; at < stream.length; ) {
            int next = Math.min(stream.length, at + 1 + random.nextInt(longest));
            next = longest == stream.length ? stream.length : next;
            assembly.add(Arrays.copyOfRange(stream, at, next), message -> messages.add(marked(splitter, message)));
            at = next;
        }
        byte[] rest = assembly.rest();
        if (rest.length > 0) {
            messages.add("incomplete " + new String(rest, ISO_8859_1));
        }
        return messages;
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static String marked(Framing.Splitter splitter, byte[] message) {
        String mark = switch (splitter.part(message)) {
            case FIRST -> "";
            case MORE -> "+";
            case ASIDE -> "!";
        };
        return mark + new String(message, ISO_8859_1);
    }
}
