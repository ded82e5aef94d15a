package dev.interlock.bench;

import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A page that grows element by element.
 *
 * <p>What comes out is HTML to a browser and well-formed XML to a parser: elements are closed in the order in which they were opened, and
 * no text can leave its place. Attributes are given as names and values in turn.
 */
final class Markup {
    private static final char UNKNOWN = '\uFFFD';

    private final StringBuilder written = new StringBuilder("<!DOCTYPE html>\n");
    private final Deque<String> open = new ArrayDeque<>();

    /** Begins an element; what follows is inside, until it is closed. */
    Markup open(String tag, String... attributes) {
        begin(tag, attributes);
        written.append('>');
        open.push(tag);
        return this;
    }

    /** Ends the element that was opened last. */
    Markup close() {
        written.append("</").append(open.pop()).append(">\n");
        return this;
    }

    /** An element with text only. */
    Markup leaf(String tag, String text, String... attributes) {
        return open(tag, attributes).text(text).close();
    }

    /** An element that cannot have content: a shape, or one of the few of HTML. */
    Markup empty(String tag, String... attributes) {
        begin(tag, attributes);
        written.append("/>\n");
        return this;
    }

    /** Text inside the element that is open. */
    Markup text(String text) {
        escape(text);
        return this;
    }

    /** Text of our own that the browser takes literally, as it does with a stylesheet; without angle brackets and ampersands. */
    Markup literally(String text) {
        written.append(text);
        return this;
    }

    /** A coordinate. A hundredth of a pixel is more than anyone sees, and a page has thousands of them. */
    static String number(double coordinate) {
        return BigDecimal.valueOf(Math.round(coordinate * 100), 2)
                .stripTrailingZeros()
                .toPlainString();
    }

    /** A coordinate as a share of the width that the browser has. */
    static String percent(double share) {
        return number(share * 100) + '%';
    }

    private void begin(String tag, String... attributes) {
        written.append('<').append(tag);
        for (int i = 0; i < attributes.length; i += 2) {
            written.append(' ').append(attributes[i]).append("=\"");
            escape(attributes[i + 1]);
            written.append('"');
        }
    }

    private void escape(String text) {
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> written.append("&lt;");
                case '>' -> written.append("&gt;");
                case '&' -> written.append("&amp;");
                case '"' -> written.append("&quot;");
                default -> written.appendCodePoint(isText(c) ? c : UNKNOWN);
            }
        });
    }

    /** Messages of servers may contain anything, but a page only what XML calls a character. */
    private static boolean isText(int c) {
        boolean control = c < ' ' && c != '\n' && c != '\t';
        boolean halfOfAPair = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
        return !control && !halfOfAPair && c != 0xFFFE && c != 0xFFFF;
    }

    /** The page so far; whole once everything is closed. */
    @Override
    public String toString() {
        return written.toString();
    }
}
