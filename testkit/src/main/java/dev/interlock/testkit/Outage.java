package dev.interlock.testkit;

/** How the store cannot be reached; what a client can know of its requests differs. */
public enum Outage {
    /** Connections are refused: each request fails at once, and it is certain that it was not carried out. */
    REFUSED,

    /** Requests vanish: none is carried out, none fails, and only waiting for the answer in vain tells. */
    SILENT,

    /** Requests are carried out and the connection breaks before the answer: whether they were is not known. */
    ANSWERS_LOST
}
