package dev.interlock.spi;

/**
 * What a process tells the others about one of its waits.
 *
 * @param id names the note, unique among all processes; at most {@value #MAX_ID} letters, digits and dashes
 * @param text what the engine wrote; at most {@value #MAX_TEXT} characters, with line breaks and tabs, no other control characters
 */
public record WaitNote(String id, String text) {
    /** The longest id. */
    public static final int MAX_ID = 64;

    /** The longest text. */
    public static final int MAX_TEXT = 60_000;
}
