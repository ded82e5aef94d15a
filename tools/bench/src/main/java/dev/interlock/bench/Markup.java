package dev.interlock.bench;

import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Builds a page element by element.
 *
 * <p>The output is both HTML and well-formed XML: elements are closed in the reverse order of opening, and all text is
 * escaped. Attributes are passed as alternating names and values.
 */
final class Markup {
    private static final char UNKNOWN = '\uFFFD';

    private final StringBuilder written = new StringBuilder("<!DOCTYPE html>\n");
    private final Deque<String> open = new ArrayDeque<>();

    /** Opens an element. Everything up to {@link #close} is inside it. */
    Markup open(String tag, String... attributes) {
        begin(tag, attributes);
        written.append('>');
        open.push(tag);
        return this;
    }

    /** Closes the last open element. */
    Markup close() {
        written.append("</").append(open.pop()).append(">\n");
        return this;
    }

    /** Adds an element with text only. */
    Markup leaf(String tag, String text, String... attributes) {
        return open(tag, attributes).text(text).close();
    }

    /** Adds an element that cannot have content, such as a shape. */
    Markup empty(String tag, String... attributes) {
        begin(tag, attributes);
        written.append("/>\n");
        return this;
    }

    /** Adds text to the open element. */
    Markup text(String text) {
        escape(text);
        return this;
    }

    /**
     * Adds trusted text that is not escaped, such as a stylesheet. It must not contain angle brackets or ampersands.
     */
    Markup literally(String text) {
        written.append(text);
        return this;
    }

    /** Formats a coordinate with two decimals. More are not visible, and a page has thousands of coordinates. */
    static String number(double coordinate) {
        return BigDecimal.valueOf(Math.round(coordinate * 100), 2)
                .stripTrailingZeros()
                .toPlainString();
    }

    /** Formats a coordinate as a percentage of the width. */
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

    /** Whether the character is allowed in XML. Error messages of servers may contain any character. */
    private static boolean isText(int c) {
        boolean control = c < ' ' && c != '\n' && c != '\t';
        boolean halfOfAPair = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
        return !control && !halfOfAPair && c != 0xFFFE && c != 0xFFFF;
    }

    /** The page so far. Complete when all elements are closed. */
    @Override
    public String toString() {
        return written.toString();
    }
}
