package dev.interlock.transactions;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import org.jspecify.annotations.Nullable;

/**
 * The transaction conflicts with another one and was not committed. Roll back and retry the whole transaction.
 *
 * <p>The cause is a serialization failure, a deadlock, a snapshot that is older than the fence, or a version that
 * another transaction changed; the exception is the same for every database. The SQLSTATE is {@code 40001}
 * (serialization failure), which retry code of frameworks recognizes.
 *
 * @since 0.1.0
 */
public final class ConflictException extends SQLTransactionRollbackException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a message and the error of the database, if there was one. */
    public ConflictException(String message, @Nullable SQLException cause) {
        super(message, "40001", cause == null ? 0 : cause.getErrorCode(), cause);
    }
}
