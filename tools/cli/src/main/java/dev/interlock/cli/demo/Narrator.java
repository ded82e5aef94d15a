package dev.interlock.cli.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * Prints one line per event, with the time and the actor, and counts the checks.
 *
 * <p>The output is plain ASCII and at most 100 columns wide. Thread-safe: both services print their own events.
 */
public final class Narrator {
    private static final String QUOTE_INDENT = " ".repeat(15);
    private static final int QUOTE_WIDTH = 70;

    private final PrintWriter out;
    private final UnaryOperator<String> markup;
    private final DemoPace pace;
    private final long began = System.nanoTime();
    private final ReentrantLock line = new ReentrantLock();
    private int acts;
    private int passed;
    private int failed;

    /**
     * Creates a narrator.
     *
     * @param out where to print
     * @param markup converts picocli markup such as {@code @|bold text|@} to ANSI colours or to plain text
     * @param pace how fast to print
     */
    public Narrator(PrintWriter out, UnaryOperator<String> markup, DemoPace pace) {
        this.out = out;
        this.markup = markup;
        this.pace = pace;
    }

    DemoPace pace() {
        return pace;
    }

    /** Prints the heading of an act. */
    void act(String title) {
        line.lock();
        try {
            out.println();
            print("@|bold " + ++acts + "  " + title + "|@");
        } finally {
            line.unlock();
        }
        pause(pace.reading());
    }

    /** Prints a line without an actor. */
    void aside(String text) {
        line.lock();
        try {
            print(text);
        } finally {
            line.unlock();
        }
    }

    /** Prints an error message, wrapped to the width of the output. */
    void quote(String text) {
        StringBuilder row = new StringBuilder();
        for (String word : text.split("(?<= )", -1)) {
            if (row.length() + word.length() > QUOTE_WIDTH) {
                aside(QUOTE_INDENT + row.toString().stripTrailing());
                row.setLength(0);
            }
            row.append(word);
        }
        aside(QUOTE_INDENT + row.toString().stripTrailing());
    }

    /** Prints an event, then pauses the calling thread so that the line can be read. */
    void report(String actor, String event) {
        reportWithoutPause(actor, event);
        pause(pace.reading());
    }

    /** Like {@link #report}, but without the pause. For threads that must not be delayed. */
    void reportWithoutPause(String actor, String event) {
        line.lock();
        try {
            print(String.format(Locale.ROOT, "%7s  %-9s %s", seconds(System.nanoTime() - began), actor, event));
        } finally {
            line.unlock();
        }
    }

    /** Prints a check with its result, and counts it. */
    void check(boolean holds, String claim) {
        line.lock();
        try {
            if (holds) {
                passed++;
                print("           @|bold,green ok|@  " + claim);
            } else {
                failed++;
                print("           @|bold,red FAILED|@  " + claim);
            }
        } finally {
            line.unlock();
        }
        pause(pace.reading());
    }

    int checksPassed() {
        return passed;
    }

    int checksFailed() {
        return failed;
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private void print(String text) {
        out.println(markup.apply(text));
        out.flush();
    }

    /** Returns early if the thread is interrupted. */
    static void pause(Duration length) {
        long end = System.nanoTime() + length.toNanos();
        for (long left = length.toNanos(); left > 0 && !Thread.currentThread().isInterrupted(); ) {
            LockSupport.parkNanos(left);
            left = end - System.nanoTime();
        }
    }

    /** Formats a duration for readers. */
    static String show(Duration time) {
        return time.toMillis() < 1000
                ? String.format(Locale.ROOT, "%d ms", time.toMillis())
                : String.format(Locale.ROOT, "%.2f s", time.toNanos() / 1e9);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }
}
