package dev.interlock.jdbc.session;

import dev.interlock.spi.Claim;
import java.util.AbstractList;
import java.util.List;

/** Claims that let something happen after a store has taken so many of them and before it goes on. */
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

    /** An iteration asks for it before each step, and before it ends. */
    @Override
    public int size() {
        if (taken == after && !happened) {
            happened = true;
            hook.run();
        }
        return claims.size();
    }
}
