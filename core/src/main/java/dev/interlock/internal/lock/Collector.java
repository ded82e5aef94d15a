package dev.interlock.internal.lock;

/** The request that collects the grants of a {@link Hold}, as the hold sees it. */
interface Collector {
    /** The settings that the hold must keep. */
    ResolvedSettings settings();

    /** The hold was passed to this request. Called before the request is taken up, or while it arrives at the gate. */
    void receive(Hold passed);

    /** The grants collected so far were lost while the request waits for more. */
    void prefixLost();
}
