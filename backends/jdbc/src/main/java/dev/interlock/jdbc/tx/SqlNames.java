package dev.interlock.jdbc.tx;

import java.util.Objects;
import java.util.regex.Pattern;

/** Names of tables and columns that users give: the only thing in a statement that cannot be bound, so it is checked instead. */
final class SqlNames {
    /** PostgreSQL cuts longer names off, and two tables would be one. */
    private static final int LONGEST = 63;

    private static final Pattern COLUMN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0," + (LONGEST - 1) + "}");
    private static final Pattern TABLE = Pattern.compile(COLUMN + "(\\." + COLUMN + ")?");

    private SqlNames() {}

    /** A table, with its schema if wanted. */
    static String table(String name) {
        return check("table", TABLE, name, " (with a schema in front if needed, as in shop.stock)");
    }

    static String column(String name) {
        return check("column", COLUMN, name, "");
    }

    private static String check(String what, Pattern allowed, String name, String more) {
        Objects.requireNonNull(name, () -> what + " is null: give the name of a " + what);
        if (!allowed.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" cannot be the name of a " + what + " here: choose 1 to " + LONGEST
                            + " letters, digits and underscores that do not begin with a digit" + more);
        }
        return name;
    }
}
