package dev.interlock.spi;

/** What became of one release. */
public enum ReleaseAnswer {
    /** The grant was there and is not any more. */
    RELEASED,

    /** There was no such grant: released before, expired, or somebody else's. Nothing was changed. */
    NOT_HELD
}
