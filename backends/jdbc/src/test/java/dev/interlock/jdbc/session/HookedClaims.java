package dev.interlock.jdbc.session;

import dev.interlock.spi.Claim;
import java.util.AbstractList;
import java.util.List;

/** Claims that run a hook after a store has taken a given number of them. */
final class HookedClaims extends AbstractList<Claim> {
    private final List<Claim> claims;
    private final int after;
    private final Runnable hook;
    private int taken;
    private boolean happened;

    HookedClaims(List<Claim> claims, int after, Runnable hook) {
        this.claims = claims;
        this.after = after;
        this.hook = hook;
    }

    @Override
    public Claim get(int index) {
        taken = index + 1;
        return claims.get(index);
    }

    /** An iteration calls this before each step and before its end. */
    @Override
    public int size() {
        if (taken == after && !happened) {
            happened = true;
            hook.run();
        }
        return claims.size();
    }
}
