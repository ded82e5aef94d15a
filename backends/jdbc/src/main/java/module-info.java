/** Locks in PostgreSQL, MariaDB, MySQL and H2. */
module dev.interlock.jdbc {
    requires transitive dev.interlock.core;
    requires transitive java.sql;
    requires dev.interlock.transactions;
    requires com.zaxxer.hikari;
    requires static org.postgresql.jdbc;
    requires static org.jspecify;

    exports dev.interlock.jdbc;
    exports dev.interlock.jdbc.session;
    exports dev.interlock.jdbc.internal to
            org.postgresql.jdbc; // it creates the socket of the listening connection
}
