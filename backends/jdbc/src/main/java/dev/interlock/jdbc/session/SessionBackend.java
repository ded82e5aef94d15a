package dev.interlock.jdbc.session;

import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;

/** The parts of a backend with session locks: its session, its kind of locks and what they promise. */
final class SessionBackend implements Backend {
    private final SharedSession session;
    private final SessionLocks locks;
    private final NamespaceRow agreement;
    private final StoreCapabilities capabilities;

    private SessionBackend(SessionLocks locks, SessionStartUp.Found found) {
        this.session = found.session();
        this.locks = locks;
        this.agreement = found.agreement();
        this.capabilities = StoreCapabilities.builder()
                .tokens(found.strict() ? StoreCapabilities.Tokens.STRICT : StoreCapabilities.Tokens.CLOCK_BOUNDED)
                .ownership(StoreCapabilities.Ownership.SESSION)
                .multiKey(StoreCapabilities.MultiKey.ONE_BY_ONE)
                .modes(locks.modes())
                .build();
    }

    static SessionBackend start(SessionConnector connector, SessionLocks locks, SessionOptions options) {
        return new SessionBackend(locks, new SessionStartUp(connector, locks, options).check());
    }

    @Override
    public String name() {
        return session.name();
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return new SessionLockStore(session, locks, agreement, context);
    }

    @Override
    public void close() {
        session.close();
    }
}
