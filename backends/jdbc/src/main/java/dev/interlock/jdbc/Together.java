package dev.interlock.jdbc;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Statements about single locks that travel together on PostgreSQL: its driver sends them in one go, and its server carries them out in one transaction. So the trip, the wake-ups and the commit are
 * shared, and each lock costs what its row costs.
 *
 * <p>Invariant: none of them waits for a row, or all would wait for the one that somebody sits on.
 */
final class Together {
    private final Statements statements;
    private final LeaseTable table;

    Together(Statements statements, LeaseTable table) {
        this.statements = statements;
        this.table = table;
    }

    /**
     * Takes those of several locks, each for an attempt of its own, that are free and whose rows nobody has locked at this moment; the numbers
     * in their order, 0 for the others.
     */
    List<Long> takeMany(Connection connection, List<Attempt> attempts) throws SQLException {
        try (PreparedStatement take = statements.drawing(connection, "take-unlocked", "number")) {
            for (Attempt attempt : attempts) {
                table.fill(take, attempt);
                take.addBatch();
            }
            int[] taken = take.executeBatch();
            List<Long> numbers = new ArrayList<>(taken.length);
            try (ResultSet drawn = take.getGeneratedKeys()) {
                for (int count : taken) {
                    numbers.add(count > 0 && drawn.next() ? drawn.getLong(1) : 0L);
                }
            }
            return numbers;
        }
    }

    /** Ends those of several grants whose locks nobody waits for or has locked the rows of at this moment; whether it did, in their order. */
    List<Boolean> giveMany(Connection connection, List<Grant> grants) throws SQLException {
        try (PreparedStatement give = statements.prepare(connection, "give-unlocked")) {
            for (Grant grant : grants) {
                table.name(give, 1, grant);
                give.addBatch();
            }
            List<Boolean> given = new ArrayList<>(grants.size());
            for (int count : give.executeBatch()) {
                given.add(count > 0);
            }
            return given;
        }
    }
}
