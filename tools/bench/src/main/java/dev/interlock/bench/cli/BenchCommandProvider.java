package dev.interlock.bench.cli;

import dev.interlock.cli.CommandProvider;

/** Adds {@code bench} to {@code ./interlock}. */
public final class BenchCommandProvider implements CommandProvider {
    @Override
    public Object command() {
        return new BenchCommand();
    }
}
