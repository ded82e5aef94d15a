/** Fences, row locks and leases for database transactions, with locks of any backend. */
@SuppressWarnings("module") // interlock-jdbc is compiled after this module
module dev.interlock.transactions {
    requires transitive dev.interlock.core;
    requires transitive java.sql;
    requires static org.jspecify;

    exports dev.interlock.transactions;
    exports dev.interlock.transactions.internal to
            dev.interlock.jdbc;
}
