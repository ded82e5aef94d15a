package dev.interlock.jdbc.tx;

import java.sql.SQLException;

/**
 * The database did not answer the commit, so nobody here knows whether the work was done.
 *
 * <p>Never repeat the work blindly: look first whether it was done, for example by a row that the work itself writes. Its state is {@code
 * 08007}, transaction resolution unknown.
 */
public final class CommitUnknownException extends SQLException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that has the facts, and what the driver said. */
    public CommitUnknownException(String message, SQLException cause) {
        super(message, "08007", cause.getErrorCode(), cause);
    }
}
