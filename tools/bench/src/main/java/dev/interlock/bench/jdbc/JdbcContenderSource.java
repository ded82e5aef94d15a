package dev.interlock.bench.jdbc;

import dev.interlock.bench.Contender;
import dev.interlock.bench.ContenderSource;
import java.time.Duration;
import java.util.List;

/** The contenders of a database suite in a separate process, which ends without closing them. */
public final class JdbcContenderSource implements ContenderSource {
    /** Every source has a constructor without parameters. */
    public JdbcContenderSource() {}

    /** The address is a JDBC URL. */
    @Override
    public List<Contender> contenders(String address, Duration lease) {
        return new JdbcContenderSet(DatabaseProduct.of(address), () -> address, lease).all();
    }
}
