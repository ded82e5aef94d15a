package dev.interlock.jdbc.session;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The session is not, or may not be, what it was when it took its locks: it must not be used again. */
final class SessionEndedException extends SQLException {
    private static final long serialVersionUID = 1L;

    /** PostgreSQL's and the standard's word for a connection that does not exist. */
    private static final String CONNECTION_DOES_NOT_EXIST = "08003";

    SessionEndedException(String message) {
        this(message, null);
    }

    SessionEndedException(String message, @Nullable Throwable cause) {
        super(message, CONNECTION_DOES_NOT_EXIST, cause);
    }
}
