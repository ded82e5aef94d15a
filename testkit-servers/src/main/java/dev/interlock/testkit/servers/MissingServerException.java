package dev.interlock.testkit.servers;

/** The server is not available on this machine; the message says what to install or which variable to set. */
final class MissingServerException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    MissingServerException(String message) {
        super(message);
    }

    MissingServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
