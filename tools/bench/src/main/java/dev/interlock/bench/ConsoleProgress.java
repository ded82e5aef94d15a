package dev.interlock.bench;

import java.io.PrintWriter;

/**
 * Prints the progress as text.
 *
 * <p>On a terminal it rewrites one line. Elsewhere it prints one line per workload.
 */
public final class ConsoleProgress implements BenchProgress {
    private static final int BAR = 20;

    private final PrintWriter out;
    private final boolean terminal;
    private final int workloads;
    private int begun;

    /** Prints the progress of this many workloads. */
    public ConsoleProgress(PrintWriter out, boolean terminal, int workloads) {
        this.out = out;
        this.terminal = terminal;
        this.workloads = workloads;
    }

    @Override
    public void at(String workload, int round, int rounds) {
        if (round == 0) {
            begun++;
        }
        String place = "[" + begun + "/" + workloads + "] " + workload;
        if (terminal) {
            int full = rounds == 0 ? 0 : BAR * round / rounds;
            String what = round == 0 ? "warming up" : "round " + round + (rounds == 0 ? "" : " of " + rounds);
            out.print("\r" + place + " [" + "#".repeat(full) + "-".repeat(BAR - full) + "] " + what + " ".repeat(20));
        } else if (round == 0) {
            String many = rounds == 0 ? "as many rounds as time permits" : rounds + " round" + (rounds == 1 ? "" : "s");
            out.println(place + ": warming up, then " + many);
        }
        out.flush();
    }

    /** Ends the line, so that the next output starts on a new one. */
    public void done() {
        if (terminal) {
            out.print("\r" + " ".repeat(79) + "\r");
            out.flush();
        }
    }
}
