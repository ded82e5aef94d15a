package dev.interlock.testkit.history;

/** A bug that can be planted in the model, in exactly one place, and the invariant that must find it. */
enum PlantedBug {
    RELEASE_WITHOUT_OWNER_COMPARE(Invariant.H5_OWNERSHIP),
    RENEW_WITHOUT_TOKEN_COMPARE(Invariant.H5_OWNERSHIP),
    VALIDITY_COUNTED_FROM_REPLY(Invariant.H2_WINDOW_EXCLUSIVITY),
    SHARED_BESIDE_EXCLUSIVE(Invariant.H2_WINDOW_EXCLUSIVITY),
    PERMITS_COUNTED_BY_HOLDERS(Invariant.H2_WINDOW_EXCLUSIVITY),
    ONE_ROUND_QUORUM_MAX(Invariant.H1_FENCE_ORDER),
    COUNTER_KEPT_WITH_LEASE(Invariant.H1_FENCE_ORDER),
    FENCE_RESET_ON_RESTART(Invariant.H1_FENCE_ORDER),
    BARE_REVISION_AS_TOKEN(Invariant.H1_FENCE_ORDER),
    RESOURCE_WITHOUT_TOKEN_CHECK(Invariant.H3_NO_STALE_EFFECT),
    READ_BEFORE_RAISE(Invariant.H4_NO_LOST_UPDATE),
    WRITE_ACKNOWLEDGED_BUT_DROPPED(Invariant.H4_NO_LOST_UPDATE),
    WAITER_NOT_REMOVED_ON_TIMEOUT(Invariant.H6_NO_LATE_GRANT),
    LOSS_REPORTED_ONLY_ON_ERROR(Invariant.H7_NOTIFIED_IN_TIME),
    NOTHING_EXPIRES_AFTER_RESTART(Invariant.H8_LIVENESS),
    TOKEN_BUMPED_ON_REENTRY(Invariant.H9_REENTRANCY),
    KEYS_ACQUIRED_IN_LISTED_ORDER(Invariant.H10_MULTI_LOCK),
    PART_OF_SET_LEFT_BEHIND(Invariant.H10_MULTI_LOCK),
    PHANTOM_VICTIM(Invariant.H11_DEADLOCK),
    DETECTOR_DISABLED(Invariant.H11_DEADLOCK);

    final Invariant caughtBy;

    PlantedBug(Invariant caughtBy) {
        this.caughtBy = caughtBy;
    }

    String description() {
        return name().charAt(0) + name().substring(1).replace('_', ' ').toLowerCase(java.util.Locale.ROOT);
    }
}
