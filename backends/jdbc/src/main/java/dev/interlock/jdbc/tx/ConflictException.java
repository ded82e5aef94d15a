package dev.interlock.jdbc.tx;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import org.jspecify.annotations.Nullable;

/**
 * The transaction met another one and cannot go on; roll it back and do the whole of it again.
 *
 * <p>Nothing of it has been committed. Says the same for every database: a serialization failure, a deadlock, a snapshot that is older
 * than the fence, a version that somebody else has moved. Its state is {@code 40001}, which code that repeats transactions knows.
 */
public final class ConflictException extends SQLTransactionRollbackException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that has the facts, and what the database said if it said something. */
    public ConflictException(String message, @Nullable SQLException cause) {
        super(message, "40001", cause == null ? 0 : cause.getErrorCode(), cause);
    }
}
