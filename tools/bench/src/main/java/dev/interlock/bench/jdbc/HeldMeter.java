package dev.interlock.bench.jdbc;

import dev.interlock.bench.ServerMeter;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Counts statements, and the locks that one contender holds. Its connection is made for the first reading and ends with the server. */
final class HeldMeter implements ServerMeter {
    private final Supplier<Database> database;
    private final String contender;
    private @Nullable PreparedStatement held;

    /** Our own questions, which are counted as statements. */
    private int asked;

    HeldMeter(Supplier<Database> database, String contender) {
        this.database = database;
        this.contender = contender;
    }

    @Override
    public Reading read() {
        Reading all = database.get().meter().read();
        double calls = all.calls() - asked;
        asked++;
        try (ResultSet row = question().executeQuery()) {
            row.next();
            return new Reading(calls, calls, all.cpuSeconds(), row.getLong(1));
        } catch (SQLException e) {
            throw new IllegalStateException("The database does not say what is held", e);
        }
    }

    private PreparedStatement question() throws SQLException {
        PreparedStatement known = held;
        if (known == null) {
            String url = database.get().url();
            known = DriverManager.getConnection(url)
                    .prepareStatement(Product.of(url).sql("held-" + contender));
            held = known;
        }
        return known;
    }
}
