package dev.interlock.spi;

/**
 * The description of a long wait that a process writes to the store for deadlock detection.
 *
 * @param id identifies the report among all processes; at most {@value #MAX_ID} letters, digits and dashes
 * @param text the description, which only the engine interprets; at most {@value #MAX_TEXT} characters, with no control
 *     characters other than line breaks and tabs
 * @since 0.1.0
 */
public record WaitReport(String id, String text) {
    /** The maximum length of an id, in characters. */
    public static final int MAX_ID = 64;

    /** The maximum length of a text, in characters. */
    public static final int MAX_TEXT = 60_000;
}
