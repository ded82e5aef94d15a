package com.acme;

import dev.interlock.lock.LockOrder;

/** The order in which locks are taken: at run time by {@link #ORDER}, at compile time by the option Interlock:Order. */
public enum LockTypes {
    CHARACTER,
    ITEM,
    BANK_ACCOUNT;

    /** For {@code Interlock.builder(backend).order(…)}. */
    public static final LockOrder ORDER = LockOrder.of(LockTypes.class);
}
