package dev.interlock.testkit.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Locale;
import java.util.Set;

/** Redis. Requests and replies have the same syntax, which {@link RespReader} parses. */
enum RespFraming implements Framing {
    INSTANCE;

    private static final Set<String> SUBSCRIPTIONS =
            Set.of("subscribe", "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe", "sunsubscribe");
    private static final Set<String> MESSAGES = Set.of("message", "pmessage", "smessage");
    private static final Set<String> OPENINGS = Set.of("hello", "auth", "select");

    @Override
    public Splitter splitter(Direction direction) {
        return new RespSplitter(direction);
    }

    @Override
    public boolean opens(byte[] request) {
        return OPENINGS.contains(firstWord(request));
    }

    /** One subscription may be confirmed several times, or by a push, so it is not counted among the replies. */
    private static Framing.Part partOfRequest(byte[] message) {
        return SUBSCRIPTIONS.contains(firstWord(message)) ? Framing.Part.ASIDE : Framing.Part.FIRST;
    }

    /** RESP2 has no type for pushes: a push is an array that starts with one of a few words. */
    private static Framing.Part partOfReply(byte[] message) {
        boolean push = message[0] == '>'
                || (message[0] == '*' && (message[1] == '3' || message[1] == '4') && isPushWord(firstWord(message)));
        return push ? Framing.Part.ASIDE : Framing.Part.FIRST;
    }

    private static boolean isPushWord(String word) {
        return SUBSCRIPTIONS.contains(word) || MESSAGES.contains(word);
    }

    /** The first bulk string of an array, or the first word of a line, in lower case. */
    private static String firstWord(byte[] message) {
        int lines = message[0] == '*' ? 2 : 0;
        int at = 0;
        while (lines > 0 && at < message.length) {
            if (message[at++] == '\n') {
                lines--;
            }
        }
        int end = at;
        while (end < message.length && message[end] > ' ') {
            end++;
        }
        return new String(message, at, end - at, ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    private static final class RespSplitter implements Splitter {
        private final Direction direction;
        private boolean opaque;

        RespSplitter(Direction direction) {
            this.direction = direction;
        }

        @Override
        public int length(byte[] bytes, int from, int to) {
            if (opaque) {
                return to - from;
            }
            int end = new RespReader(bytes, to).value(from);
            opaque = end == RespReader.NOT_RESP;
            return opaque ? to - from : Math.max(0, end - from);
        }

        @Override
        public Part part(byte[] message) {
            if (opaque || message.length < 2) {
                return Part.FIRST;
            }
            return direction == Direction.TO_SERVER ? partOfRequest(message) : partOfReply(message);
        }
    }
}
