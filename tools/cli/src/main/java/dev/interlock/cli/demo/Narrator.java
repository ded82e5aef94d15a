package dev.interlock.cli.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * Tells what happens, when and to whom, one line at a time, and keeps count of what was expected.
 *
 * <p>Plain ASCII within 100 columns. Thread-safe: services tell their own part.
 */
public final class Narrator {
    private static final String QUOTE_INDENT = " ".repeat(15);
    private static final int QUOTE_WIDTH = 70;

    private final PrintWriter out;
    private final UnaryOperator<String> markup;
    private final Pace pace;
    private final long began = System.nanoTime();
    private final ReentrantLock line = new ReentrantLock();
    private int acts;
    private int held;
    private int failed;

    /**
     * A narrator.
     *
     * @param out where to
     * @param markup turns markup of picocli, such as {@code @|bold text|@}, into colours or into plain text
     * @param pace how fast
     */
    public Narrator(PrintWriter out, UnaryOperator<String> markup, Pace pace) {
        this.out = out;
        this.markup = markup;
        this.pace = pace;
    }

    Pace pace() {
        return pace;
    }

    /** Begins an act. */
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

    /** A line of nobody's. */
    void aside(String text) {
        line.lock();
        try {
            print(text);
        } finally {
            line.unlock();
        }
    }

    /** What somebody was told word for word, in lines that fit. */
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

    /** Something happened to somebody, just now. The one who tells it waits until it is read. */
    void tell(String who, String what) {
        note(who, what);
        pause(pace.reading());
    }

    /** Like {@link #tell}, from a thread that must not be kept waiting. */
    void note(String who, String what) {
        line.lock();
        try {
            print(String.format(Locale.ROOT, "%7s  %-9s %s", seconds(System.nanoTime() - began), who, what));
        } finally {
            line.unlock();
        }
    }

    /** An expectation: said to hold, or to have failed. */
    void expect(boolean holds, String claim) {
        line.lock();
        try {
            if (holds) {
                held++;
                print("           @|bold,green ok|@  " + claim);
            } else {
                failed++;
                print("           @|bold,red NO|@  not so: " + claim);
            }
        } finally {
            line.unlock();
        }
        pause(pace.reading());
    }

    int expectationsHeld() {
        return held;
    }

    int expectationsFailed() {
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

    /** A time as people say it. */
    static String show(Duration time) {
        return time.toMillis() < 1000
                ? String.format(Locale.ROOT, "%d ms", time.toMillis())
                : String.format(Locale.ROOT, "%.2f s", time.toNanos() / 1e9);
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }
}
