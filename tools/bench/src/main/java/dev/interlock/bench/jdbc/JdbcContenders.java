package dev.interlock.bench.jdbc;

import dev.interlock.bench.Contender;
import dev.interlock.bench.ContenderSource;
import java.time.Duration;
import java.util.List;

/** The contenders of a suite in a database, in a process of its own, which ends without closing them. */
public final class JdbcContenders implements ContenderSource {
    /** Without a parameter, as every source. */
    public JdbcContenders() {}

    /** Whose address is a JDBC URL. */
    @Override
    public List<Contender> contenders(String address, Duration lease) {
        return new JdbcField(Product.of(address), () -> address, lease).all();
    }
}
