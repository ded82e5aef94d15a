package dev.interlock.jdbc.session;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The session has ended, or may have ended, and must not be used again. */
final class SessionEndedException extends SQLException {
    private static final long serialVersionUID = 1L;

    /** SQL state of a connection that does not exist. */
    private static final String CONNECTION_DOES_NOT_EXIST = "08003";

    SessionEndedException(String message) {
        this(message, null);
    }

    SessionEndedException(String message, @Nullable Throwable cause) {
        super(message, CONNECTION_DOES_NOT_EXIST, cause);
    }
}
