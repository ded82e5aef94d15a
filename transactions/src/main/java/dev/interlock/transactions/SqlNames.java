package dev.interlock.transactions;

import java.util.Objects;
import java.util.regex.Pattern;

/** Validates table and column names from the application. Names cannot be bound as parameters, so they are checked. */
final class SqlNames {
    /** PostgreSQL truncates longer names, so two names could mean one table. */
    private static final int MAX_LENGTH = 63;

    private static final Pattern COLUMN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0," + (MAX_LENGTH - 1) + "}");
    private static final Pattern TABLE = Pattern.compile(COLUMN + "(\\." + COLUMN + ")?");

    private SqlNames() {}

    /** Returns the table name, with an optional schema. */
    static String table(String name) {
        return check("table", TABLE, name, " (with a schema in front if needed, as in shop.stock)");
    }

    static String column(String name) {
        return check("column", COLUMN, name, "");
    }

    private static String check(String kind, Pattern allowed, String name, String hint) {
        Objects.requireNonNull(name, () -> kind + " is null: pass the name of a " + kind);
        if (!allowed.matcher(name).matches()) {
            throw new IllegalArgumentException("\"" + name + "\" is not a valid name of a " + kind + ": use 1 to "
                    + MAX_LENGTH + " letters, digits and underscores, and do not begin with a digit" + hint);
        }
        return name;
    }
}
