package dev.interlock.testkit.servers;

/** A server cannot be had here; the message says what to install or which variable to set. */
final class MissingServerException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    MissingServerException(String sentence) {
        super(sentence);
    }

    MissingServerException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
