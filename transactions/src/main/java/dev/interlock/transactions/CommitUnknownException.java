package dev.interlock.transactions;

import java.sql.SQLException;

/**
 * The database did not answer the commit, so the outcome of the transaction is unknown.
 *
 * <p>Before you repeat the work, check whether it was committed, for example by a row that the work itself writes. The
 * SQLSTATE is {@code 08007} (transaction resolution unknown).
 *
 * @since 0.1.0
 */
public final class CommitUnknownException extends SQLException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message and the driver's error. */
    public CommitUnknownException(String message, SQLException cause) {
        super(message, "08007", cause.getErrorCode(), cause);
    }
}
