package com.acme;

import dev.interlock.lock.LockOrder;

/** The order of the locks: {@link #ORDER} at run time, the option Interlock:Order at compile time. */
public enum LockTypes {
    CHARACTER,
    ITEM,
    BANK_ACCOUNT;

    /** For {@code Interlock.builder(backend).order(…)}. */
    public static final LockOrder ORDER = LockOrder.of(LockTypes.class);
}
