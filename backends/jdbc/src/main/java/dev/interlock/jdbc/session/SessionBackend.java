package dev.interlock.jdbc.session;

import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.time.Duration;

/** What both kinds of session locks have in common. */
final class SessionBackend implements Backend {
    private final SessionLane lane;
    private final SessionLocks locks;
    private final NamespaceRow terms;
    private final StoreCapabilities capabilities;

    private SessionBackend(SessionLocks locks, SessionStartUp.Found found) {
        this.lane = found.lane();
        this.locks = locks;
        this.terms = found.terms();
        this.capabilities = new StoreCapabilities(
                found.strict() ? StoreCapabilities.Tokens.STRICT : StoreCapabilities.Tokens.CLOCK_BOUNDED,
                StoreCapabilities.Ownership.SESSION,
                StoreCapabilities.MultiKey.ONE_BY_ONE,
                StoreCapabilities.Queue.NONE,
                StoreCapabilities.Push.NONE,
                locks.modes(),
                false,
                Duration.ZERO,
                false,
                false,
                false);
    }

    static SessionBackend start(Connector connector, SessionLocks locks, SessionOptions options) {
        return new SessionBackend(locks, new SessionStartUp(connector, locks, options).look());
    }

    @Override
    public String name() {
        return lane.name();
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return new SessionLockStore(lane, locks, terms, context);
    }

    @Override
    public void close() {
        lane.close();
    }
}
