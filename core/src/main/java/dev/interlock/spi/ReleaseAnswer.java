package dev.interlock.spi;

/**
 * The outcome of one release.
 *
 * @since 0.1.0
 */
public enum ReleaseAnswer {
    /** The grant existed and was ended. */
    RELEASED,

    /**
     * The grant did not exist: it was already released, it expired, or another owner holds the key. Nothing changed.
     */
    NOT_HELD
}
